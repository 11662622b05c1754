// What a pool and its worker threads say to each other.

/** Lambda's limit on a synchronous event or answer, serialized. */
export const payloadLimitBytes = 6_291_556

export type WorkerStart = {
  functionId: string
  /** The folder that Lambda would unpack, and the template's `Handler`. */
  folder: string
  handler: string
  /** The worker sleeps while [0] is 0; the pool sets it to 1 when an event lies in the port. */
  signal: Int32Array<SharedArrayBuffer>
}

export type WorkerEvent = { requestId: string; payload: string; deadlineMs: number }

export type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'output'; text: string }
  | { kind: 'answer'; payload: string }
  | { kind: 'error'; errorType: string; message: string }
