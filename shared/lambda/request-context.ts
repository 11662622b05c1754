// One request on its way through the chain: what the first step opens, and what each later step adds.
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Actor } from '../accounts/actor.ts'
import type { findTokenWithUser } from '../accounts/store/tokens.ts'
import type { Content } from '../cache/content.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { ApiError, Fields } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import type { LimitResult } from '../limits/limiter.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Settings } from '../site/settings.ts'
import type { Action } from '../table/action.ts'
import type { Handler } from './handler.ts'

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
}

/** Added by `match`. `pathFaults` are reported by `validate` together with all other faults of form. */
export type WithRoute = {
  route: { endpoint: Endpoint; handler: Handler; params: unknown }
  pathFaults: Fields
}

export type TokenWithUser = Awaited<ReturnType<typeof findTokenWithUser>>

/** Added by `token`: reads the token that the request presents, and its user, once. Undefined without one. */
export type WithToken = { readToken: () => Promise<TokenWithUser> }

/** Added by `content`: returns the public content, which is opened once, with a read. */
export type WithContent = { openContent: () => Promise<Content> }

/** Added by `maintenance`: the site's settings, at most five seconds old. */
export type WithSettings = { settings: Settings }

/**
 * Added by `authenticate`: the user of a valid token, with a fault if the endpoint is not for that user.
 * `checked`: the caller is expected, from an earlier request; settles with its fault when the token is read.
 */
export type WithCaller = {
  caller: { actor: Actor; fault: ApiError | undefined; checked?: Promise<ApiError | undefined> } | undefined
}

/**
 * Added by `limit`. Reads do not wait for the result, unless `isRefused` says that it is a refusal.
 * The result is undefined if the table could not count.
 */
export type WithLimit = { limitResult: Promise<LimitResult | undefined>; isRefused: boolean }

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

/** Added by `idempotency`. `keyFaults` are reported by `validate` together with all other faults of form. */
export type WithClaim = { claim: Claim | undefined; replay: Replay | undefined; keyFaults: Fields }

/** Texts by field. A map, because a client may name a member `constructor`. */
export type Faults = Map<string, string[]>

/** Added by `parse`. `ignored`: names of members and parameters that the endpoint does not know. */
export type WithParsedInput = {
  parsed: { query: Record<string, string>; body: object | undefined; faults: Faults }
  ignored: string[]
}

/** Added by `validate`; undefined for a replay, which is answered without its handler. */
export type WithInput = { input: { query: unknown; body: unknown } | undefined }

/** Added by `handle`: the handler's reply, or the stored answer to the same request. */
export type WithAnswer = { answer: { reply: Reply } | { replay: Replay } }

/** After the handler has run. */
export type CompleteContext = RequestContext &
  WithRoute &
  WithToken &
  WithContent &
  WithSettings &
  WithCaller &
  WithLimit &
  WithClaim &
  WithParsedInput &
  WithInput &
  WithAnswer

/** After a failure: the steps behind the failed one have added nothing. */
export type PartialContext = RequestContext & Partial<CompleteContext>

/** Starts work that the response does not depend on. A failure is logged at the end. */
export function startSideTask({ sideTasks }: RequestContext, task: Promise<unknown>): void {
  // Without a handler of its own, a failure before the end of the request would end the process.
  task.catch(() => undefined)
  sideTasks.push(task)
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
