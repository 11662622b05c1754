// Runs in a worker thread: imports content, and creates the owner and demo content.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { type ImportTarget, importContent, openContent } from './import-content.ts'
import type { Level } from './log.ts'
import { type OwnerWithTokens, type SeedOptions, seed } from './seed.ts'

export type FillStart = { importFile: string | undefined }
export type FilledService = ImportTarget &
  Pick<SeedOptions, 'owner' | 'demo' | 'first'> & { tableName: string }
export type FillMessage =
  | { opened: true }
  | { line: string; level?: Level | undefined }
  | { owner: OwnerWithTokens }

if (!parentPort) throw new Error('fill-thread.ts runs only as a worker thread. Use openFill.')
const port = parentPort
const { importFile }: FillStart = workerData

// Opened first, so that a wrong file is found before anything is started.
const source = importFile === undefined ? undefined : await openContent(importFile)
if (source) post({ opened: true })
const [service]: FilledService[] = await once(port, 'message')
if (service) await fill(service)
port.close()

async function fill(service: FilledService): Promise<void> {
  const { dynamodbEndpoint: endpoint, tableName, ...options } = service
  if (source) await importContent(service, source, log)
  post({ owner: await seed({ ...options, table: { endpoint, tableName }, log }) })
}

function log(line: string, level?: Level): void {
  post({ line, level })
}

function post(message: FillMessage): void {
  port.postMessage(message)
}
