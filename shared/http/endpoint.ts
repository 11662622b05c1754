// Endpoints as data: declared once, and read by router, stack, document and tests.
import * as z from 'zod/mini'
import { type Ability, AUDIENCE_LIMITS, type Audience, type Limit, tierOf } from './audience.ts'
import type { ErrorCode } from './errors.ts'

/** A setting without which the endpoint refuses every request. */
type Requirement = {
  /** A key of the site's settings; a test checks that it exists. */
  setting: string
  code: Extract<ErrorCode, 'FORBIDDEN' | 'REGISTRATION_DISABLED'>
  message: string
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type Endpoint<
  Params extends z.ZodMiniType = z.ZodMiniType,
  Query extends z.ZodMiniType = z.ZodMiniType,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Data extends z.ZodMiniType = z.ZodMiniType,
> = {
  method: Method
  /** With parameters in braces, as in API Gateway and OpenAPI. */
  path: string
  summary: string
  /** What the summary leaves open, as Markdown. */
  description?: string
  /** A call and its answer, as the document shows them. */
  example: Example
  /** Follows from the path. */
  audience: Audience
  /** The ability that the token needs. 'any': a valid token suffices. Null: no token is needed. */
  ability: Ability | 'any' | null
  requires: readonly Requirement[]
  limit: Limit
  params: Params
  query: Query
  /** Null if the endpoint takes no body; it then ignores one. */
  body: Body | null
  data: Data
  /** It takes `page`, and answers carry `pagination`. */
  isPaginated: boolean
  /** It takes `after`, or says more: answers carry `cursor` with `next`. */
  hasCursor: boolean
  /** `cursor` has `more` besides `next`: whether more follows already. */
  saysMore: boolean
  /** 202: it is accepted, and done later. */
  status: 200 | 201 | 202
  message: string
  /** Names of the events that the endpoint may fire. */
  emits: readonly string[]
  /** Codes of its own failures, besides those that follow from its declaration. */
  faults: readonly ErrorCode[]
  /** It reads public content, of which functions remember what they have read. Cacheable ones do. */
  readsContent: boolean
  /** Public GETs carry a weak ETag, with which caches revalidate. */
  isCacheable: boolean
  /** The record has a version: answers carry it as a strong ETag, and changes heed `If-Match`. */
  isVersioned: boolean
  /** Its operations are requests, of which each is idempotent by itself. */
  isBatch: boolean
  /** The header `Preview-Token` shows the record that it is for, also while readers do not see it. */
  takesPreview: boolean
  /** Answers everyone while the site is in maintenance. */
  isOpenInMaintenance: boolean
  /** Answers within a second, with 503 if the table does not answer, so that monitors get a clear result. */
  isQuick: boolean
}

type Example = {
  /** Values for the path, and for the parameters without which the call fails. */
  params?: Readonly<Record<string, string | number>> | undefined
  query?: Readonly<Record<string, string>> | undefined
  body?: unknown
  data?: unknown
}

type EndpointDeclaration<
  Params extends z.ZodMiniType,
  Query extends z.ZodMiniType,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
> = Pick<Endpoint, 'method' | 'path' | 'summary' | 'message'> &
  Partial<Omit<Endpoint, 'audience' | 'isPaginated' | 'hasCursor' | 'params' | 'query' | 'body' | 'data'>> & {
    params?: Params
    query?: Query
    body?: Body
    data?: Data
  }

/** No parameters, or an answer with nothing to return. */
export const Empty = z.object({})
type Empty = typeof Empty

/** `Empty` is also the default of the type parameter. */
function orEmpty<Schema extends z.ZodMiniType>(declared: Schema | undefined): Schema {
  return declared ?? (Empty as z.ZodMiniType as Schema)
}

const ABILITY_OF: Record<Audience, Ability | null> = { public: null, user: 'user', admin: 'admin' }

/** Fills in the defaults. The path decides the audience, which decides ability and limit unless declared. */
export function endpoint<
  Data extends z.ZodMiniType = Empty,
  Params extends z.ZodMiniType = Empty,
  Query extends z.ZodMiniType = Empty,
  Body extends z.ZodMiniType = z.ZodMiniUndefined,
>(declared: EndpointDeclaration<Params, Query, Body, Data>): Endpoint<Params, Query, Body, Data> {
  const tier = tierOf(declared.path)
  const audience = tier === 'me' ? 'user' : tier
  const isCacheable = audience === 'public' && declared.method === 'GET'
  const query = orEmpty(declared.query)
  const parameters = namesIn(query)
  return {
    ability: ABILITY_OF[audience],
    limit: AUDIENCE_LIMITS[audience],
    saysMore: false,
    isOpenInMaintenance: false,
    isQuick: false,
    status: 200,
    requires: [],
    emits: [],
    faults: [],
    isVersioned: false,
    isBatch: false,
    takesPreview: false,
    isCacheable,
    readsContent: declared.isCacheable ?? isCacheable,
    ...declared,
    example: { data: {}, ...declared.example },
    audience,
    isPaginated: parameters.includes('page'),
    hasCursor: parameters.includes('after') || declared.saysMore === true,
    params: orEmpty(declared.params),
    query,
    data: orEmpty(declared.data),
    body: declared.body ?? null,
  }
}

/** Endpoints by the name of their handler. A Lambda serves one group or several. */
export type Group = Record<string, Endpoint>

/** A text for each audience that the endpoints of a group have. */
type GroupTexts = Readonly<Partial<Record<Audience, string>>>
const GROUP_TEXTS = new WeakMap<Group, GroupTexts>()

/** Wraps a group in a call, so that bundles can drop unused groups with all that only they need. */
export function group<G extends Group>(texts: GroupTexts, make: () => G): G {
  const endpoints = make()
  GROUP_TEXTS.set(endpoints, texts)
  return endpoints
}

export function textsOfGroup(group: Group): GroupTexts {
  return GROUP_TEXTS.get(group) ?? {}
}

/** The names of an object's members, or of parameters. */
export function namesIn(schema: z.ZodMiniType): string[] {
  return 'shape' in schema.def ? Object.keys(Object(schema.def.shape)) : []
}

/** Whether the endpoint changes a record with a version, and so heeds `If-Match`. */
export function isGuarded({ isVersioned, method, params }: Endpoint): boolean {
  return isVersioned && method !== 'GET' && namesIn(params).length > 0
}

export function showsTag({ isCacheable, isVersioned, method }: Endpoint): boolean {
  return isCacheable || (isVersioned && method !== 'DELETE')
}

export function takesIdempotencyKey({ audience, method }: Endpoint): boolean {
  return audience === 'admin' && method === 'POST'
}

/** The same request with its key is answered once. Of a batch, each operation is. */
export function isAnsweredOnce(endpoint: Endpoint): boolean {
  return takesIdempotencyKey(endpoint) && !endpoint.isBatch
}

/** A POST may come without a body if all members are optional. A PATCH without one is a mistake. */
export function isBodyOptional({ method, body }: Endpoint): boolean {
  return method === 'POST' && body !== null && body.safeParse({}).success
}
