// Runs the background in a thread of its own: nothing that happens there delays a request.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Background, BackgroundOptions } from './background.ts'
import type { BackgroundMessage, BackgroundRequest, BackgroundStart } from './background-worker.ts'

export async function openBackgroundThread({ folders, log }: BackgroundOptions): Promise<Background> {
  const workerData: BackgroundStart = { folders }
  const thread = new Worker(new URL('./background-worker.ts', import.meta.url), {
    name: 'background',
    workerData,
  })
  const ended = once(thread, 'exit')
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => undefined)
  thread.on('error', broken.reject)
  let answered = Promise.withResolvers<BackgroundMessage>()
  thread.on('message', (message: BackgroundMessage) => {
    if ('line' in message) return log(message.line, message.level)
    answered.resolve(message)
    answered = Promise.withResolvers()
  })
  /** Throws what the thread says. */
  const answer = async (): Promise<BackgroundMessage> => {
    const message = await Promise.race([answered.promise, broken.promise])
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
    stop: async () => {
      await ask({ kind: 'stop' })
      await ended
    },
  }
}
