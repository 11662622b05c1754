// A call to an AWS service on its way to the emulator, and the interceptors that can change or answer it.

export type Service = 'dynamodb' | 'sqs' | 'ses'

export type Call = {
  service: Service
  /** From X-Amz-Target, such as `GetItem`. SES has no such header, so there it is method and path. */
  operation: string
  /** The signer: the name of a function, or OWNER_KEY for pollers, tools and tests. */
  accessKeyId: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

export type Answer = { status: number; headers: Record<string, string>; body: Buffer }

/** Calls the next interceptor, or in the end the emulator. Rejects with ConnectionClosed. */
export type Next = (call: Call) => Promise<Answer>
/** Ends the function with this access key immediately, as a failing machine would. */
export type Crash = (accessKeyId: string) => void

/**
 * Answers a call: with `next` (also with another body, or several times), with an answer of its own, or by
 * throwing ConnectionClosed.
 */
export type Interceptor = (call: Call, next: Next, crash: Crash) => Promise<Answer>

/** The connection closes without an answer. */
export class ConnectionClosed extends Error {
  override name = 'HungUp'
}

/** An error in the JSON protocol of AWS. */
export function failure(status: number, type: string, members: Record<string, unknown> = {}): Answer {
  return json(status, {
    __type: `com.amazonaws.local#${type}`,
    message: `${type} of the local run`,
    ...members,
  })
}

export function json(status: number, content: unknown): Answer {
  const headers = { 'content-type': 'application/x-amz-json-1.0' }
  return { status, headers, body: Buffer.from(JSON.stringify(content)) }
}
