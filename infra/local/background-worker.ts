// The thread of the background: takes the requests of background-thread.ts. Whatever it throws ends it, and
// is the reason that the service names.
import { parentPort, workerData } from 'node:worker_threads'
import type { Level } from '../../shared/runtime/parameters.ts'
import { type Background, type Folders, openBackground } from './background.ts'
import type { LocalStage } from './functions.ts'

export type BackgroundStart = { folders: Folders | undefined }
export type BackgroundRequest = { stage: LocalStage; hasClock: boolean } | 'stop'
export type BackgroundMessage =
  | { line: string; level?: Level | undefined }
  | { endpoints: Background['endpoints'] }

if (!parentPort) throw new Error('background-worker.ts runs only as a thread. Use openBackgroundThread.')
const port = parentPort
const { folders }: BackgroundStart = workerData

function post(message: BackgroundMessage): void {
  port.postMessage(message)
}

const background = await openBackground({ folders, log: (line, level) => post({ line, level }) })
port.on('message', (request: BackgroundRequest) => {
  if (request === 'stop') return void background.stop().finally(() => port.close())
  background.start(request.stage, request.hasClock)
})
process.on('unhandledRejection', error => {
  const cause = error instanceof Error ? error.stack : error
  post({ line: `A worker left an error behind: ${cause}`, level: 'error' })
})
post({ endpoints: background.endpoints })
