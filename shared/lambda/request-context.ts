// One request on its way through the chain: what each step found out, for the steps after it.
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Actor } from '../accounts/actor.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { ApiError, Fields } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { LimitResult } from '../limits/limiter.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Settings } from '../site/settings.ts'
import type { Action } from '../table/action.ts'
import type { Handler } from './handler.ts'

export type RequestContext = {
  runtime: Runtime
  event: APIGatewayProxyEvent
  requestId: string
  /** The gateway's own: another one where the client brought its id. One search for it finds the access log, too. */
  gatewayId: string
  nowMs: number
  /** Work that nobody waits for before the answer, and that a frozen function would not finish after it. */
  beside: Promise<unknown>[]
  /** As they were at most five seconds ago. */
  settings?: Settings
  route?: { endpoint: Endpoint; handler: Handler; params: unknown }
  /** A valid token's user, and what stands against them. */
  caller?: { actor: Actor; fault: ApiError | undefined }
  /** The limiter's word; reads do not wait for it. */
  limitResult?: Promise<LimitResult | undefined>
  settledLimitResult?: LimitResult | undefined
  /** Writes the answer under its idempotency key, in the transaction of the change. */
  keep?: (reply: Reply) => Promise<Action>
  isKept?: boolean
  /** Frees the idempotency key after a failure. */
  release?: () => Promise<void>
  replay?: { status: number; body: string; etag: string | undefined }
  /** Faults of form that a step found before `decode`, which reports all of them together. */
  faults?: Fields
  /** Names of members and parameters that the endpoint does not know. */
  ignored?: string[]
  input?: { query: unknown; body: unknown }
  reply?: Reply
}

const contexts = new WeakMap<object, RequestContext>()

export function openContext(event: APIGatewayProxyEvent, exchange: RequestContext): void {
  contexts.set(event, exchange)
}

/** The exchange of an event that went through `report` first. */
export function contextOf(event: object): RequestContext {
  const exchange = contexts.get(event)
  if (!exchange) throw new Error('The chain begins with report().')
  return exchange
}

/** Notes work that goes on beside the handler. It may fail before anybody waits for it, which must not end the process. */
export function doBeside({ beside }: RequestContext, work: Promise<unknown>): void {
  work.catch(() => undefined)
  beside.push(work)
}

/** A header by its name, whatever its case; its lines are one list (RFC 9110, 5.3). */
export function headerOf({ event }: Pick<RequestContext, 'event'>, name: string): string | undefined {
  const headers = event.multiValueHeaders ?? {}
  const found = Object.keys(headers).find(key => key.toLowerCase() === name)
  return found === undefined ? undefined : headers[found]?.join(', ')
}
