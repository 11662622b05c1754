// What each step of the chain adds to the context of a request, and the call that a handler gets from it.
import { randomUUID } from 'node:crypto'
import type middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type * as z from 'zod/mini'
import type { Actor } from '../accounts/token.ts'
import type { Content } from '../cache/content.ts'
import { startUnitOfWork, type UnitOfWork } from '../events/unit-of-work.ts'
import type { Empty, Endpoint, Group } from '../http/endpoint.ts'
import type { Fields } from '../http/errors.ts'
import { type AnswerBody, noData, type Reply } from '../http/reply.ts'
import { clientKey, type LimitResult } from '../limits/limiter.ts'
import { type CursorPlace, cursorPlace } from '../lists/cursor.ts'
import { type Environment, required } from '../runtime/environment.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type Settings, siteUrlOf } from '../site/settings.ts'
import type { Action } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { requireMatch } from './etag.ts'

/** A request as Lambda passes it on. */
export type Invocation = { event: APIGatewayProxyEvent; context: Context }

type Call<E extends Endpoint = Endpoint> = {
  params: z.output<E['params']>
  query: z.output<E['query']>
  body: z.output<NonNullable<E['body']>>
  /** The authenticated caller. Throws on an endpoint that needs no token. */
  readonly actor: Actor
  /** The client's IP address, as a hash with the key. */
  hashClient: (key: string) => string
  table: Table
  /** Public content, for endpoints that declare `readsContent`. */
  content: Content
  work: UnitOfWork
  nowMs: number
  /** Webhook deliveries that the request causes carry it. */
  requestId: string
  /** For a batch, whose operations are requests that are made from it. */
  invocation: Invocation
  /** The token of a request to an endpoint that takes it. It may be forged. */
  previewToken: string | undefined
  /** Binds cursors to the endpoint, its path and these filters. */
  cursorAt: (filters?: Readonly<Record<string, unknown>>) => CursorPlace
  settings: Settings
  environment: Environment
  /** The address by which the client reached the service, without a slash at the end. */
  readonly serverUrl: string
  /** Throws PRECONDITION_FAILED if `If-Match` was sent and does not match this version. */
  requireMatch: (version: number) => void
}

/** One handler for each endpoint of the group, under the same name. */
export type Handlers<G extends Group> = {
  [Name in keyof G]: (
    call: Call<G[Name]>,
  ) => Promise<Reply<z.output<G[Name]['data']>>> | Nothing<G[Name]['data']>
}

/** An endpoint without data needs no reply of its handler. */
type Nothing<Data extends z.ZodMiniType> = typeof Empty extends Data ? Promise<void> : never

/** A handler whose endpoint is only known at run time. */
type Handler = (call: Call) => Promise<Reply>

/** Faults of a body that depend on how this stage is configured. */
type StageFaults = (body: object, environment: Environment) => Fields

/** An endpoint with its handler. */
export type EndpointHandler = { endpoint: Endpoint; handler: Handler; stageFaults: StageFaults }

/**
 * The endpoints of a group, each with its handler.
 * @__NO_SIDE_EFFECTS__ A bundle leaves out the groups that its function does not serve.
 */
export function handlersOf<G extends Group>(
  group: G,
  handlers: Handlers<G>,
  stageFaults: StageFaults = () => ({}),
): EndpointHandler[] {
  return Object.entries(group).map(([name, endpoint]) => {
    // The compiler cannot see that a handler is only called with the input of its own endpoint.
    const handle = handlers[name] as unknown as (call: Call) => Promise<Reply | undefined>
    return { endpoint, handler: async call => (await handle(call)) ?? noData(), stageFaults }
  })
}

/** What `readInput` returns. */
export type Input = { query: unknown; body: unknown }

type Needs = RequestContext & WithRoute & WithAdmission & WithClaim

export function callOf(context: Needs, { query, body }: Input, content: Content): Call {
  const { runtime, event, nowMs, requestId, route, actor, settings } = context
  const { environment, table } = runtime
  return {
    params: route.params,
    query,
    body,
    get actor() {
      if (!actor) throw new Error('This endpoint needs no token, so there is no actor.')
      return actor
    },
    hashClient: key => clientKey(event.requestContext.identity.sourceIp, key),
    table,
    content,
    work: workOf(context),
    nowMs,
    requestId,
    invocation: { event, context: context.lambdaContext },
    previewToken: headerOf(context, 'preview-token'),
    cursorAt: filters =>
      cursorPlace(required(environment, 'CLIENT_KEY'), route.endpoint, route.params, filters),
    settings,
    environment,
    get serverUrl() {
      return serverUrlOf(event)
    },
    requireMatch: version => requireMatch(headerOf(context, 'if-match'), version),
  }
}

function workOf({ runtime, nowMs, requestId, route, settings, claim }: Needs): UnitOfWork {
  return startUnitOfWork({
    ...runtime,
    nowMs,
    requestId,
    siteUrl: async () => siteUrlOf(settings, runtime.environment.SITE_URL),
    declared: route.endpoint.emits,
    keep: claim?.keep,
    onKept: () => {
      if (claim) claim.isKept = true
    },
  })
}

/** A request between two steps. Middy keeps `internal`, which is its context, until the answer. */
export type Request<Internal extends RequestContext> = middy.Request<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  unknown,
  Context,
  Internal
>

/** The `before` of a step, which adds to the context what `find` returns. */
export function adding<Needs extends RequestContext>(find: (context: Needs) => object | Promise<object>) {
  return async ({ internal }: Request<Needs>): Promise<void> => {
    Object.assign(internal, await find(internal))
  }
}

/** Opened by `report`. */
export type RequestContext = {
  runtime: Runtime
  event: APIGatewayProxyEvent
  lambdaContext: Context
  /** It is part of a batch: the batch is counted, and any write heeds an idempotency key. */
  isOperation: boolean
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
  route: EndpointHandler & { params: unknown }
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

/**
 * Added by `idempotency`. `replay`: the kept answer to an earlier request with the same key. `keyFaults` are
 * reported together with all other faults of form.
 */
export type WithClaim = { claim: Claim | undefined; replay: AnswerBody | undefined; keyFaults: Fields }

/** Added by `answer`. */
export type WithReply = { reply: Reply }

/** After the handler has run. */
export type CompleteContext = RequestContext & WithRoute & WithAdmission & WithClaim & WithReply

/** After a failure: the steps behind the failed one have added nothing. */
export type PartialContext = RequestContext & Partial<CompleteContext>

export function openRequest(
  runtime: Runtime,
  { event, context: lambdaContext }: Invocation,
  isOperation: boolean,
): RequestContext {
  const gatewayId = event.requestContext.requestId || randomUUID()
  const requestId = clientIdOf(event) ?? gatewayId
  const nowMs = runtime.clock()
  const request = { event, lambdaContext, isOperation, requestId, gatewayId, nowMs }
  return { runtime, ...request, sideTasks: [], limitResult: undefined }
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

/** Without a custom domain, paths begin below the name of the stage. */
function serverUrlOf(event: APIGatewayProxyEvent): string {
  const { resource, requestContext } = event
  const scheme = headerOf({ event }, 'x-forwarded-proto') ?? 'https'
  const host = headerOf({ event }, 'host') ?? requestContext.domainName
  const base = requestContext.path.slice(0, Math.max(0, requestContext.path.lastIndexOf(resource)))
  return host === undefined ? base || '/' : `${scheme}://${host}${base}`
}
