// Starts fauxqs, the emulator of SQS, in a thread of its own: the service's side of queue-thread.ts.
import { once } from 'node:events'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { ACCOUNT_ID } from '../account.ts'
import { COMPILE_CACHE } from '../compiled-code.ts'
import { newKey, parseEndpoint } from '../door/endpoint.ts'
import type {
  QueueAnswer,
  QueueDepth,
  QueueInspection,
  QueueRequest,
  QueueThreadStart,
} from './queue-protocol.ts'

export type { QueueDepth } from './queue-protocol.ts'

export type Sqs = {
  /** Contains the key of its door. */
  endpoint: string
  /** SDKs connect to the host in a queue's URL, so it must be this server. */
  queueUrl(name: string): string
  inspect(name: string): QueueInspection
  /** Throws if there is no queue of this name. */
  depth(name: string): QueueDepth
  stop(): Promise<void>
}

const ANSWERS_WITHIN_MS = 30_000

/** Without `folder` messages stay in memory. */
export async function startSqs(folder?: string, key: string = newKey()): Promise<Sqs> {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const { port1: port, port2 } = new MessageChannel()
  const workerData: QueueThreadStart = { folder, key, signal, port: port2 }
  const thread = new Worker(new URL('./queue-thread.ts', import.meta.url), {
    name: 'queues',
    workerData,
    transferList: [port2],
    env: { ...process.env, ...COMPILE_CACHE },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  const { endpoint } = await ready(thread, port)
  const { url } = parseEndpoint(endpoint)

  /** Waits without a turn of the event loop. Only the start and tests ask for something. */
  const ask = (request: QueueRequest): QueueAnswer => {
    Atomics.store(signal, 0, 0)
    port.postMessage(request)
    Atomics.wait(signal, 0, 0, ANSWERS_WITHIN_MS)
    const received = receiveMessageOnPort(port)
    if (!received) throw new Error('The thread of the queues does not answer.')
    return received.message
  }
  return {
    endpoint,
    queueUrl: name => `${url}/${ACCOUNT_ID}/${name}`,
    inspect(name) {
      const answer = ask({ kind: 'inspect', name })
      return answer.kind === 'inspect' ? answer.value : undefined
    },
    depth(name) {
      const answer = ask({ kind: 'depth', name })
      if (answer.kind === 'depth' && answer.value) return answer.value
      throw new Error(`There is no queue ${name}.`)
    },
    async stop() {
      const ended = once(thread, 'exit')
      port.postMessage({ kind: 'stop' } satisfies QueueRequest)
      await ended
      port.close()
    },
  }
}

/** An error of the thread after its start ends the service. */
async function ready(thread: Worker, port: MessagePort): Promise<{ endpoint: string }> {
  const broken = Promise.withResolvers<never>()
  thread.once('error', broken.reject)
  const [answer]: QueueAnswer[] = await Promise.race([once(port, 'message'), broken.promise])
  thread.off('error', broken.reject)
  if (answer?.kind === 'ready') return answer
  throw new Error(answer?.kind === 'failed' ? answer.message : 'The thread of the queues did not start.')
}
