// All endpoints by name, and a way to send requests to them that their contracts do not allow.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { rawRequest } from './raw.ts'

export const ENDPOINTS = Object.values(API_FUNCTIONS).flatMap(({ endpoints }) =>
  Object.values(endpoints).map(endpoint => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint })),
)

export function endpointOf(name: string): Endpoint {
  const endpoint = ENDPOINTS.find(candidate => candidate.name === name)
  if (!endpoint) throw new Error(`There is no endpoint ${name}.`)
  return endpoint.endpoint
}

const Shape = z.record(z.string(), z.instanceof(z.ZodMiniType))

/** The members of an object schema with their schemas. */
export function membersOf(schema: z.ZodMiniType | null): [string, z.ZodMiniType][] {
  return schema instanceof z.ZodMiniObject ? Object.entries(Shape.parse(schema.shape)) : []
}

/** The envelope of a failure, exactly as in the contract's "Response envelope". */
const FailureAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  errors: z.strictObject({
    code: z.string(),
    fields: z._default(z.record(z.string(), z.array(z.string()).check(z.minLength(1))), {}),
  }),
})

export type RequestParts = {
  token?: string
  body?: string | Buffer
  query?: string
  params?: Record<string, string | number>
  headers?: Record<string, string>
}

/** Values that no record has, for path parameters that a test does not set. */
const UNKNOWN: Record<string, string> = {
  id: '999999',
  slug: 'unknown',
  location: 'unknown',
  delivery_id: 'unknown',
}

/** The body of the example, or an empty one if the endpoint takes none. */
export function validBodyOf(endpoint: Endpoint): string {
  return JSON.stringify(endpoint.example.body ?? {})
}

/** The beginning of a query with the required parameters, without the one that the test sets itself. */
export function requiredQuery(endpoint: Endpoint, except = ''): string {
  const { query = {} } = endpoint.example
  return membersOf(endpoint.query)
    .filter(([name, schema]) => name !== except && !schema.safeParse(undefined).success)
    .map(([name]) => {
      if (query[name] !== undefined) return `${name}=${query[name]}&`
      throw new Error(`Add ${name} to \`query\` in the example of ${endpoint.method} ${endpoint.path}.`)
    })
    .join('')
}

/** Lets guests comment: otherwise their endpoint refuses every request. */
export const ALL_ENABLED = { 'comments.allow_guest_comments': true } as const

export function pathOf({ path }: Endpoint, params: Record<string, string | number> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? UNKNOWN[name]
    if (value === undefined) {
      throw new Error(`Add a value for {${name}} that no record has, in test/support/endpoints.ts.`)
    }
    return String(value)
  })
}

/** Sends one request after the other: in parallel they would start three workers of every function. */
export async function sequentially<Item, Answer>(all: Item[], ask: (item: Item) => Promise<Answer>) {
  const answers: Answer[] = []
  for (const item of all) answers.push(await ask(item))
  return answers
}

/** Adds to the answer of a failure its code and the names of its fields. */
export function sendTo(baseUrl: string) {
  return async (endpoint: Endpoint, { token, body, query = '', params = {}, headers = {} }: RequestParts) => {
    const answer = await rawRequest(baseUrl, endpoint.method, `${pathOf(endpoint, params)}${query}`, {
      headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
    })
    const { errors } = FailureAnswer.safeParse(answer.json).data ?? {
      errors: { code: undefined, fields: {} },
    }
    return { ...answer, code: errors.code, fields: Object.keys(errors.fields) }
  }
}
