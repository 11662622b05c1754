// What a pool and its worker threads say to each other.
import type { FunctionAccess } from '../access/connections.ts'
import type { AccessNote } from '../access/evaluate.ts'

/** Lambda's limit on a synchronous event or answer, serialized. */
export const PAYLOAD_LIMIT_BYTES = 6_291_556

export type WorkerStart = {
  functionId: string
  /** The folder that Lambda would unpack, and the template's `Handler`. */
  folder: string
  handler: string
  /** The worker sleeps while [0] is 0; the pool sets it to 1 when an event lies in the port. */
  signal: Int32Array<SharedArrayBuffer>
  /** Undefined: its calls are not judged. */
  access: FunctionAccess | undefined
}

export type WorkerEvent = { requestId: string; payload: string; deadlineMs: number }

export type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'output'; text: string }
  | { kind: 'note'; note: AccessNote }
  | { kind: 'answer'; payload: string }
  | { kind: 'error'; errorType: string; message: string }
