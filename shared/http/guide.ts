// The guide to an endpoint, for the API's document: what its summary leaves open, and an example of a call.
import type * as z from 'zod/mini'
import type { Endpoint, Group } from './endpoint.ts'

export type Guide = {
  endpoint: Endpoint
  /** Markdown. */
  description?: string | undefined
  /** Values for the path, and for the parameters without which the call fails. */
  params?: Readonly<Record<string, string | number>> | undefined
  query?: Readonly<Record<string, string>> | undefined
  body?: unknown
  data: unknown
}

/** Required, unless the endpoint declares none or an empty one. */
type Member<Name extends string, Value> = unknown extends Value
  ? { [N in Name]?: never }
  : Value extends Record<string, never>
    ? { [N in Name]?: never }
    : { [N in Name]: Value }

type GuideTo<One extends Endpoint> = {
  description?: string
  query?: { [Name in keyof z.output<One['query']>]?: string }
} & Member<'params', z.output<One['params']>> &
  Member<'body', z.input<NonNullable<One['body']>>> &
  Member<'data', z.output<One['data']>>

/** One guide for each endpoint of a group; a missing or an unknown one does not compile. */
export function guideOf<G extends Group>(group: G, guides: { [Name in keyof G]: GuideTo<G[Name]> }): Guide[] {
  return Object.entries(group).map(([name, endpoint]) => ({ data: {}, ...Object(guides[name]), endpoint }))
}
