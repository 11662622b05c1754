// The guide to a slice: texts and examples of its endpoints, members and tags, for the API's document alone.
import type * as z from 'zod/mini'
import type { CommonInPath, CommonInQuery, Description, Text } from './descriptions.ts'
import type { Endpoint, Group } from './endpoint.ts'

export type SliceGuide = {
  /** A text for each tag that the slice's endpoints have, such as `comments` and `admin: comments`. */
  tags: Readonly<Record<string, string>>
  endpoints: Guide[]
  members: Description[]
}

/** The guide to an endpoint: what its summary leaves open, and an example of a call. */
export type Guide = {
  endpoint: Endpoint
  /** Markdown. */
  description?: string | undefined
  /** Texts of the group's parameters, by name. */
  parameters: Readonly<Record<string, Text>>
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

type NamesIn<Value> = Value extends Record<string, never> ? never : keyof Value
type InPath<G extends Group> = { [Name in keyof G]: NamesIn<z.output<G[Name]['params']>> }[keyof G]
type InQuery<G extends Group> = { [Name in keyof G]: NamesIn<z.output<G[Name]['query']>> }[keyof G]
type ToDescribe<G extends Group> = Exclude<InPath<G>, CommonInPath> | Exclude<InQuery<G>, CommonInQuery>

/** Required for parameters that are not common; the text of a common one replaces the common text. */
type ParameterTexts<G extends Group> = { readonly [Name in ToDescribe<G>]: Text } & {
  readonly [Name in InPath<G> | InQuery<G>]?: Text
}

/** Guides to all endpoints of a group, and texts of parameters. A missing or unknown one does not compile. */
export function guideOf<G extends Group>(
  group: G,
  guides: { [Name in keyof G]: GuideTo<G[Name]> },
  ...[parameters]: [ToDescribe<G>] extends [never] ? [ParameterTexts<G>?] : [ParameterTexts<G>]
): Guide[] {
  return Object.entries(group).map(([name, endpoint]) => ({
    data: {},
    ...Object(guides[name]),
    parameters: { ...parameters },
    endpoint,
  }))
}
