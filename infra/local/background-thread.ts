// Runs the background in a thread of its own: nothing that happens there delays a request.
import { Worker } from 'node:worker_threads'
import type { Background, BackgroundOptions } from './background.ts'
import type { BackgroundMessage, BackgroundRequest, BackgroundStart } from './background-worker.ts'

export async function openBackgroundThread({ folders, log }: BackgroundOptions): Promise<Background> {
  const paths = folders && { queuesFolder: folders.queuesFolder, mailFolder: folders.mailFolder }
  const workerData: BackgroundStart = { folders: paths }
  const file = new URL('./background-worker.ts', import.meta.url)
  const thread = new Worker(file, { name: 'background', workerData })
  const opened = Promise.withResolvers<Background['endpoints']>()
  const failed = Promise.withResolvers<string>()
  let stopping = false
  thread.on('message', (message: BackgroundMessage) => {
    if ('line' in message) return log(message.line, message.level)
    opened.resolve(message.endpoints)
  })
  thread.on('error', error => failed.resolve(error instanceof Error ? error.message : String(error)))
  const ended = new Promise<void>(resolve => {
    thread.once('exit', code => {
      if (!stopping) failed.resolve(`The thread of the workers ended with ${code}.`)
      resolve()
    })
  })
  const send = (request: BackgroundRequest) => thread.postMessage(request)
  const failing = failed.promise.then(reason => Promise.reject(new Error(reason)))

  return {
    endpoints: await Promise.race([opened.promise, failing]),
    start: (stage, hasClock) => send({ stage, hasClock }),
    failed: failed.promise,
    stop: async () => {
      stopping = true
      send('stop')
      await ended
    },
  }
}
