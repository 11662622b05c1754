// The types of a handler: its input and its reply, derived from its endpoint.
import type * as z from 'zod/mini'
import type { Actor } from '../accounts/actor.ts'
import type { Content } from '../cache/content.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import type { Endpoint, Group } from '../http/endpoint.ts'
import type { Reply } from '../http/reply.ts'
import type { CursorPlace } from '../lists/cursor.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Settings } from '../site/settings.ts'
import type { Table } from '../table/client.ts'

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
