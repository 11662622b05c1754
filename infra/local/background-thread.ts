// Runs the background in a thread of its own: nothing that happens there delays a request.
import { Worker } from 'node:worker_threads'
import type { Background, BackgroundOptions } from './background.ts'
import type { BackgroundMessage, BackgroundRequest, BackgroundStart } from './background-worker.ts'

export async function openBackgroundThread({ folders, log }: BackgroundOptions): Promise<Background> {
  const workerData: BackgroundStart = { folders }
  const file = new URL('./background-worker.ts', import.meta.url)
  const thread = new Worker(file, { name: 'background', workerData })
  const opened = Promise.withResolvers<Background['endpoints']>()
  const started = Promise.withResolvers<void>()
  const failed = Promise.withResolvers<string>()
  let stopping = false
  thread.on('message', (message: BackgroundMessage) => {
    if ('line' in message) return log(message.line, message.level)
    if ('endpoints' in message) return opened.resolve(message.endpoints)
    started.resolve()
  })
  thread.on('error', error => failed.resolve(error instanceof Error ? error.message : String(error)))
  const ended = new Promise<void>(resolve => {
    thread.once('exit', code => {
      if (!stopping) failed.resolve(`The thread of the workers ended with ${code}.`)
      resolve()
    })
  })
  const unlessFailed = <T>(promise: Promise<T>): Promise<T> =>
    Promise.race([promise, failed.promise.then(failure => Promise.reject(new Error(failure)))])
  const send = (request: BackgroundRequest) => thread.postMessage(request)

  return {
    endpoints: await unlessFailed(opened.promise),
    start: async (stage, hasClock) => {
      send({ kind: 'start', stage, hasClock })
      await unlessFailed(started.promise)
    },
    failed: failed.promise,
    stop: async () => {
      stopping = true
      send({ kind: 'stop' })
      await ended
    },
  }
}
