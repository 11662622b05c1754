// Runs the background in a thread of its own: nothing that happens there delays a request.
import { Worker } from 'node:worker_threads'
import type { Background, BackgroundOptions } from './background.ts'
import type { BackgroundMessage, BackgroundRequest, BackgroundStart } from './background-worker.ts'

export async function openBackgroundThread({ folders, log }: BackgroundOptions): Promise<Background> {
  const workerData: BackgroundStart = { folders }
  const thread = new Worker(new URL('./background-worker.ts', import.meta.url), {
    name: 'background',
    workerData,
  })
  const failed = Promise.withResolvers<string>()
  let stopping = false
  thread.on('error', error => failed.resolve(error instanceof Error ? error.message : String(error)))
  const ended = new Promise<void>(resolve => {
    thread.once('exit', code => {
      if (!stopping) failed.resolve(`The thread of the workers ended with ${code}.`)
      resolve()
    })
  })
  let answered = Promise.withResolvers<BackgroundMessage>()
  thread.on('message', (message: BackgroundMessage) => {
    if ('line' in message) return log(message.line, message.level)
    answered.resolve(message)
    answered = Promise.withResolvers()
  })
  /** Throws what the thread says. */
  const answer = async (): Promise<BackgroundMessage> => {
    const message = await Promise.race([answered.promise, failed.promise.then(failure => ({ failure }))])
    if ('failure' in message) throw new Error(message.failure)
    return message
  }
  const ask = (request: BackgroundRequest) => {
    thread.postMessage(request)
    return answer()
  }

  const opened = await answer()
  if (!('endpoints' in opened)) throw new Error('The thread of the background did not say its addresses.')
  return {
    endpoints: opened.endpoints,
    start: async (site, hasClock) => void (await ask({ kind: 'start', site, hasClock })),
    failed: failed.promise,
    stop: async () => {
      stopping = true
      await Promise.race([ended, ask({ kind: 'stop' })])
      await ended
    },
  }
}
