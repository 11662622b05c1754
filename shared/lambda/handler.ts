// What a handler is given and what it gives back, derived from its endpoint.
import type * as z from 'zod/mini'
import type { Actor } from '../accounts/actor.ts'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import type { Endpoint, Group } from '../http/endpoint.ts'
import type { Reply } from '../http/reply.ts'
import type { Environment } from '../runtime/environment.ts'
import type { Settings } from '../site/settings.ts'
import type { Table } from '../table/client.ts'

export type Call<E extends Endpoint = Endpoint> = {
  params: z.output<E['params']>
  query: z.output<E['query']>
  body: z.output<NonNullable<E['body']>>
  /** Who asks. Reading it on an endpoint that asks for no token is a mistake and throws. */
  readonly actor: Actor
  /** The address that asks, as a keyed hash. */
  readonly client: string
  table: Table
  work: UnitOfWork
  nowMs: number
  /** Goes into the deliveries that the request causes. */
  requestId: string
  settings: Settings
  environment: Environment
  /** Throws PRECONDITION_FAILED when `If-Match` was sent and does not name this version. */
  requireMatch: (version: number) => void
}

/** One handler for each endpoint of the group, by the same name. */
export type Handlers<G extends Group> = {
  [Name in keyof G]: (call: Call<G[Name]>) => Promise<Reply<z.output<G[Name]['data']>>>
}

/** A handler whose endpoint is known only at run time. */
export type Handler = (call: Call) => Promise<Reply>
