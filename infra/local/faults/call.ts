// A call of an AWS service on its way to its emulator, and those who may have a say in what becomes of it.

export type Service = 'dynamodb' | 'sqs' | 'ses'

export type Call = {
  service: Service
  /** As in X-Amz-Target, like `GetItem`; for SES, which has none, method and path. */
  operation: string
  /** Who signed it: the logical id of a function, or somebody outside the template. */
  accessKeyId: string
  /** Which worker of the function, by its session token; empty for whoever has none. */
  session: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

export type Answer = { status: number; headers: Record<string, string>; body: Buffer }

/** The next judge, in the end the emulator. Rejects with HungUp. */
export type Next = (call: Call) => Promise<Answer>
/** Ends the worker of this session at once, as if its machine were gone. */
export type Crash = (session: string) => void

/**
 * Answers a call: by `next` (which may be given another body, or be asked more than once), by an answer of its own,
 * or by throwing HungUp.
 */
export type Interceptor = (call: Call, next: Next, crash: Crash) => Promise<Answer>

/** The connection breaks off without an answer. */
export class ConnectionClosed extends Error {
  override name = 'HungUp'
}

/** A failure as the services with JSON protocols say it. */
export function failure(status: number, type: string, more: Record<string, unknown> = {}): Answer {
  return json(status, { __type: `com.amazonaws.local#${type}`, message: `${type} of the local run`, ...more })
}

export function json(status: number, content: unknown): Answer {
  const headers = { 'content-type': 'application/x-amz-json-1.0' }
  return { status, headers, body: Buffer.from(JSON.stringify(content)) }
}
