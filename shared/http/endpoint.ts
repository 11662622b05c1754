// An endpoint as data: declared once, read by router, gateway, document, local run and tests.
import * as z from 'zod/mini'
import { type Ability, AUDIENCE_LIMITS, type Audience, type Limit } from './audience.ts'
import type { ErrorCode } from './errors.ts'

/** A setting that must be true; while it is not, everybody is refused, as by a token that may not. */
export type Requirement = {
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
  /** Braces, which is the syntax of API Gateway and of OpenAPI. */
  path: string
  summary: string
  audience: Audience
  /** What the token must carry; 'any' is a valid token whatever it carries, null asks for none. */
  ability: Ability | 'any' | null
  requires: readonly Requirement[]
  limit: Limit
  params: Params
  query: Query
  /** Null: the endpoint needs none and ignores one. */
  body: Body | null
  data: Data
  isPaginated: boolean
  status: 200 | 201
  message: string
  /** Names of the events that the endpoint may fire. */
  emits: readonly string[]
  /** Codes of failures of its own, beside those that every endpoint of its kind can answer. */
  faults: readonly ErrorCode[]
  /** Public GETs carry a weak ETag, by which caches that kept an answer ask again. */
  isCacheable: boolean
  /** Of a record with a version: answers carry it as a strong ETag, changes of the record heed `If-Match`. */
  isVersioned: boolean
  /** Answers while the site is in maintenance, whoever asks. */
  isOpenInMaintenance: boolean
  /** Answers within a second, or says 503, whatever the table does: for those who watch the service. */
  isQuick: boolean
  /** By the name of a query parameter, what the token must carry where it is given. */
  abilityWith: Readonly<Record<string, Ability>>
}

type Declared<
  Params extends z.ZodMiniType,
  Query extends z.ZodMiniType,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
> = Pick<Endpoint, 'method' | 'path' | 'summary' | 'message'> &
  Partial<Omit<Endpoint, 'params' | 'query' | 'body' | 'data'>> & {
    params?: Params
    query?: Query
    body?: Body
    data: Data
  }

const Nothing = z.object({})
type Nothing = typeof Nothing

const ABILITY_OF: Record<Audience, Ability | null> = { public: null, user: 'user', admin: 'admin' }

/** The audience brings its ability and its limit; an endpoint may name its own. */
export function endpoint<
  Data extends z.ZodMiniType,
  Params extends z.ZodMiniType = Nothing,
  Query extends z.ZodMiniType = Nothing,
  Body extends z.ZodMiniType = z.ZodMiniUndefined,
>(declared: Declared<Params, Query, Body, Data>): Endpoint<Params, Query, Body, Data> {
  const audience = declared.audience ?? 'public'
  return {
    ability: ABILITY_OF[audience],
    limit: AUDIENCE_LIMITS[audience],
    isPaginated: false,
    isOpenInMaintenance: false,
    isQuick: false,
    abilityWith: {},
    status: 200,
    requires: [],
    emits: [],
    faults: [],
    isVersioned: false,
    isCacheable: audience === 'public' && declared.method === 'GET',
    ...declared,
    audience,
    // The defaults stand for the type parameters' own defaults.
    params: declared.params ?? (Nothing as z.ZodMiniType as Params),
    query: declared.query ?? (Nothing as z.ZodMiniType as Query),
    body: declared.body ?? null,
  }
}

/** Endpoints by the name of their handler: one group is one Lambda. */
export type Group = Record<string, Endpoint>

/** A call around a group lets bundles leave it out as a whole, and with it what only it needs. */
export function group<G extends Group>(make: () => G): G {
  return make()
}

/** The names of the parameters or members that a schema knows. */
export function namesIn(schema: z.ZodMiniType): string[] {
  return 'shape' in schema.def ? Object.keys(Object(schema.def.shape)) : []
}

/** The endpoint as it is for a request with these query parameters: one may make it ask for a token. */
export function asAsked(endpoint: Endpoint, queryNames: string[]): Endpoint {
  const [ability] = queryNames.flatMap(name => endpoint.abilityWith[name] ?? [])
  return ability === undefined ? endpoint : { ...endpoint, ability }
}

/** What a token must carry here, at times. */
export function abilitiesAtTimes({ abilityWith }: Endpoint): Ability[] {
  return Object.values(abilityWith)
}

/** A change of a record that `If-Match` can make depend on its version. */
export function isGuarded({ isVersioned, method, params }: Endpoint): boolean {
  return isVersioned && method !== 'GET' && namesIn(params).length > 0
}

export function showsTag({ isCacheable, isVersioned, method }: Endpoint): boolean {
  return isCacheable || (isVersioned && method !== 'DELETE')
}

export function takesIdempotencyKey({ audience, method }: Endpoint): boolean {
  return audience === 'admin' && method === 'POST'
}

/** An act whose every member has a default may come without a body. A change without one is a mistake. */
export function isBodyOptional({ method, body }: Endpoint): boolean {
  return method === 'POST' && body !== null && body.safeParse({}).success
}

export const EmptyData = z.object({})

/** In the document: what is text in a URL is a number to clients. */
const MOST = 999_999_999_999_999
const aNumber = { type: 'integer', minimum: 1, maximum: MOST, pattern: undefined } as const

/** An id in a path: anything but a whole number from 1 names nothing (404). */
export const Id = z
  .pipe(z.string().check(z.regex(/^[1-9]\d{0,14}$/)), z.transform(Number))
  .check(z.meta(aNumber))

const wholeNumber = z
  .pipe(
    z.string().check(z.regex(/^0*[1-9]\d{0,14}$/, `Must be a whole number from 1 to ${MOST}.`)),
    z.transform(Number),
  )
  .check(z.meta(aNumber))

/** `page` and `per_page`: above its maximum, `per_page` is taken as the maximum. */
export function pageQuery(perPage = 12, maxPerPage = 100) {
  return z.object({
    page: z._default(wholeNumber, 1),
    per_page: z._default(
      z
        .pipe(
          wholeNumber,
          z.transform(n => Math.min(n, maxPerPage)),
        )
        .check(z.meta(aNumber)),
      perPage,
    ),
  })
}
