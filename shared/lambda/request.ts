// One request on its way through the chain: what `report` opens, and what each step of serve.ts adds.
import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Actor } from '../accounts/token.ts'
import type { Content } from '../cache/content.ts'
import type { Fields } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { LimitResult } from '../limits/limiter.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Settings } from '../site/settings.ts'
import type { Action } from '../table/action.ts'
import type { Answering } from './handler.ts'

/** Opened by `report`. */
export type RequestContext = {
  runtime: Runtime
  event: APIGatewayProxyEvent
  requestId: string
  /** The gateway's own id. It differs from `requestId` if the client sent one, and is in the access log. */
  gatewayId: string
  nowMs: number
  /** Awaited before the response, because Lambda freezes the function after it. */
  sideTasks: Promise<unknown>[]
  /** Set when the request was counted. Every answer from then on shows it. */
  limitResult: LimitResult | undefined
}

/** Added by `route`. `pathFaults` are reported together with all other faults of form. */
export type WithRoute = {
  route: Answering & { params: unknown }
  pathFaults: Fields
}

/** Added by `admit`. */
export type WithAdmission = {
  /** At most five seconds old. */
  settings: Settings
  /** The user of the token that was read for this request. */
  actor: Actor | undefined
  /** Returns the public content, which is opened once, with a read. */
  openContent: () => Promise<Content>
  /** Ends when the request is counted; rejects with 429. Only reads run before it has ended. */
  counted: Promise<void>
}

/** The right to act under an idempotency key. */
export type Claim = {
  /** Stores the answer under the key, in the transaction of the change. */
  keep: (reply: Reply) => Promise<Action>
  isKept: boolean
  /** Frees the key after a failure. */
  release: () => Promise<void>
}
/** The stored answer to an earlier request with the same key. */
export type Replay = { status: number; body: string; etag: string | undefined }

/** Added by `idempotency`. `keyFaults` are reported together with all other faults of form. */
export type WithClaim = { claim: Claim | undefined; replay: Replay | undefined; keyFaults: Fields }

/** Added by `answer`: the handler's reply, or the stored answer to the same request. */
export type WithAnswer = { answer: { reply: Reply } | { replay: Replay } }

/** After the handler has run. */
export type CompleteContext = RequestContext & WithRoute & WithAdmission & WithClaim & WithAnswer

/** After a failure: the steps behind the failed one have added nothing. */
export type PartialContext = RequestContext & Partial<CompleteContext>

export function openRequest(runtime: Runtime, event: APIGatewayProxyEvent): RequestContext {
  const gatewayId = event.requestContext.requestId || randomUUID()
  const requestId = clientIdOf(event) ?? gatewayId
  const nowMs = runtime.clock()
  return { runtime, event, requestId, gatewayId, nowMs, sideTasks: [], limitResult: undefined }
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** The client's own id, if it is well-formed. */
function clientIdOf(event: APIGatewayProxyEvent): string | undefined {
  const id = headerOf({ event }, 'x-request-id')
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined
}

/** Starts work that the response does not depend on. A failure is logged at the end. */
export function startSideTask({ sideTasks }: RequestContext, task: Promise<unknown>): void {
  sideTasks.push(handled(task))
}

/** Without a handler of its own, a failure before anything awaits the work would end the process. */
export function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

/** API Gateway passes on bodies in base64, because as texts they would have U+FFFD for what is not UTF-8. */
export function bodyEncoding({ isBase64Encoded }: APIGatewayProxyEvent): 'base64' | 'utf8' {
  return isBase64Encoded ? 'base64' : 'utf8'
}

/** A header by its lower-case name; several lines of it are one list (RFC 9110, 5.3). */
export function headerOf({ event }: Pick<RequestContext, 'event'>, name: string): string | undefined {
  const headers = event.multiValueHeaders ?? {}
  const found = Object.keys(headers).find(key => key.toLowerCase() === name)
  return found === undefined ? undefined : headers[found]?.join(', ')
}
