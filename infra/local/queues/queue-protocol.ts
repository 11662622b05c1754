// The messages between the service and the thread of its queues.
import type { MessagePort } from 'node:worker_threads'
import type { FauxqsServer } from 'fauxqs'

export type QueueDepth = { visible: number; inFlight: number; delayed: number }
export type QueueInspection = ReturnType<FauxqsServer['inspectQueue']>

export type QueueThreadStart = {
  /** Undefined: messages stay in memory. */
  folder: string | undefined
  /** The key of the door. */
  key: string
  /** The thread sets [0] to 1 after it has posted an answer, for which the service waits. */
  signal: Int32Array<SharedArrayBuffer>
  port: MessagePort
}

/** Each but the last is answered by one QueueAnswer, in order. The thread ends after the last. */
export type QueueRequest = { kind: 'depth' | 'inspect'; name: string } | { kind: 'stop' }

/** `value` is undefined for an unknown queue. */
export type QueueAnswer =
  | { kind: 'ready'; endpoint: string }
  | { kind: 'failed'; message: string }
  | { kind: 'depth'; value: QueueDepth | undefined }
  | { kind: 'inspect'; value: QueueInspection }
