// The thread of the background: takes the requests of background-thread.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { type Background, type Folders, openBackground } from './background.ts'
import type { Site } from './functions.ts'
import type { Level } from './log.ts'

export type BackgroundStart = { folders: Folders | undefined }
export type BackgroundRequest = { kind: 'start'; site: Site; hasClock: boolean } | { kind: 'stop' }
export type BackgroundMessage =
  | { line: string; level?: Level | undefined }
  | { endpoints: Background['endpoints'] }
  | { started: true }
  | { failure: string }

if (!parentPort) throw new Error('background-worker.ts runs only as a thread. Use openBackgroundThread.')
const port = parentPort
const { folders }: BackgroundStart = workerData

function post(message: BackgroundMessage): void {
  port.postMessage(message)
}

function fail(error: unknown): void {
  post({ failure: error instanceof Error ? error.message : String(error) })
}

process.on('unhandledRejection', error => {
  const cause = error instanceof Error ? error.stack : error
  post({ line: `A worker left an error behind: ${cause}`, level: 'error' })
})

try {
  const background = await openBackground({ folders, log: (line, level) => post({ line, level }) })
  port.on('message', (request: BackgroundRequest) => {
    if (request.kind === 'stop') return void background.stop().finally(() => port.close())
    background.start(request.site, request.hasClock).then(() => post({ started: true }), fail)
  })
  post({ endpoints: background.endpoints })
} catch (error) {
  fail(error)
  port.close()
}
