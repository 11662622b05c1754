// The messages between a pool and its worker threads.
import type { FunctionAccess } from '../access/connections.ts'
import type { AccessNote } from '../access/evaluate.ts'

/** Lambda's limit for a serialized synchronous event or answer. */
export const PAYLOAD_LIMIT_BYTES = 6_291_556

export type WorkerStart = {
  functionId: string
  /** The unpacked code, and the template's `Handler`. */
  folder: string
  handler: string
  /** The worker sleeps while [0] is 0. The pool sets it to 1 after it has posted an event. */
  signal: Int32Array<SharedArrayBuffer>
  /** Undefined: calls are not checked. */
  access: FunctionAccess | undefined
}

export type WorkerEvent = { requestId: string; payload: string; deadlineMs: number }

export type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'output'; text: string }
  | { kind: 'note'; note: AccessNote }
  | { kind: 'answer'; payload: string }
  | { kind: 'error'; errorType: string; message: string }
