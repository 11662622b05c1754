// A handler: its input and its reply, derived from its endpoint, and how the chain calls it.
import type * as z from 'zod/mini'
import type { Actor } from '../accounts/token.ts'
import type { Content } from '../cache/content.ts'
import { startUnitOfWork, type UnitOfWork } from '../events/unit-of-work.ts'
import type { Endpoint, Group } from '../http/endpoint.ts'
import type { Fields } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { clientKey } from '../limits/limiter.ts'
import type { CursorPlace } from '../lists/cursor.ts'
import { type Environment, required } from '../runtime/environment.ts'
import { type Settings, siteUrlOf } from '../site/settings.ts'
import type { Table } from '../table/client.ts'
import { requireMatch } from './etag.ts'
import type { Input } from './input.ts'
import {
  headerOf,
  type RequestContext,
  type WithAdmission,
  type WithClaim,
  type WithRoute,
} from './request.ts'

export type Call<E extends Endpoint = Endpoint> = {
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
  /** Binds cursors to the endpoint, its path and these filters. */
  cursorAt: (filters?: Readonly<Record<string, unknown>>) => CursorPlace
  settings: Settings
  environment: Environment
  /** Throws PRECONDITION_FAILED if `If-Match` was sent and does not match this version. */
  requireMatch: (version: number) => void
}

/** One handler for each endpoint of the group, under the same name. */
export type Handlers<G extends Group> = {
  [Name in keyof G]: (call: Call<G[Name]>) => Promise<Reply<z.output<G[Name]['data']>>>
}

/** A handler whose endpoint is only known at run time. */
export type Handler = (call: Call) => Promise<Reply>

/** Faults of a body that depend on how this stage is configured. */
export type StageFaults = (body: object, environment: Environment) => Fields

/** An endpoint with its handler. */
export type Answering = { endpoint: Endpoint; handler: Handler; stageFaults: StageFaults }

/**
 * The endpoints of a group, each with its handler.
 * @__NO_SIDE_EFFECTS__ A bundle leaves out the groups that its function does not serve.
 */
export function handlersOf<G extends Group>(
  group: G,
  handlers: Handlers<G>,
  stageFaults: StageFaults = () => ({}),
): Answering[] {
  return Object.entries(group).map(([name, endpoint]) => {
    // The compiler cannot see that a handler is only called with the input of its own endpoint.
    const handler = handlers[name] as unknown as Handler
    return { endpoint, handler, stageFaults }
  })
}

type Needs = RequestContext & WithRoute & WithAdmission & WithClaim

export function callOf(context: Needs, { query, body }: Input, content: Content): Call {
  const { runtime, event, nowMs, requestId, route, actor, settings } = context
  const { environment, table } = runtime
  const { method, path } = route.endpoint
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
    cursorAt: (filters = {}) => ({
      key: required(environment, 'CLIENT_KEY'),
      place: JSON.stringify([method, path, route.params, filters]),
    }),
    settings,
    environment,
    requireMatch: version => requireMatch(headerOf(context, 'if-match'), version),
  }
}

function workOf({ runtime, nowMs, requestId, gatewayId, route, settings, claim }: Needs): UnitOfWork {
  const { table, sender, environment, log } = runtime
  return startUnitOfWork({
    table,
    sender,
    nowMs,
    clock: runtime.clock,
    requestId,
    gatewayId,
    siteUrl: async () => siteUrlOf(settings, environment.SITE_URL),
    log,
    declared: { names: route.endpoint.emits, isStrict: environment.REFUSE_UNDECLARED_EVENTS },
    keep: claim?.keep,
    onKept: () => {
      if (claim) claim.isKept = true
    },
  })
}
