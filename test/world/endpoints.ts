// Every endpoint by its name, and a way to send each of them what its contract does not allow.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { rawRequest } from './raw.ts'

export const ENDPOINTS = Object.values(API_FUNCTIONS).flatMap(({ endpoints }) =>
  Object.values(endpoints).map(endpoint => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint })),
)

const Shape = z.record(z.string(), z.instanceof(z.ZodMiniType))

/** The members of a schema, each with its own. */
export function membersOf(schema: z.ZodMiniType | null): [string, z.ZodMiniType][] {
  return schema instanceof z.ZodMiniObject ? Object.entries(Shape.parse(schema.shape)) : []
}

/** Contract "Response envelope": exactly this. */
const Failed = z.strictObject({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  errors: z.strictObject({
    code: z.string(),
    fields: z._default(z.record(z.string(), z.array(z.string()).check(z.minLength(1))), {}),
  }),
})

export type RequestParts = {
  token?: string
  body?: string
  query?: string
  params?: Record<string, string>
  headers?: Record<string, string>
}

/** What no record has, for the parameters that a test does not name. */
const UNKNOWN: Record<string, string> = { id: '999999', slug: 'unknown', location: 'unknown' }

/** What an endpoint with a body takes, for tests of what is not found; others take anything. */
const VALID_BODIES: Record<string, unknown> = {
  'POST /api/v1/posts/{slug}/comments': { author_name: 'A', author_email: 'a@example.com', body: 'B' },
  'POST /api/v1/me/tickets/{id}/replies': { body: 'B' },
  'POST /api/v1/admin/tickets/{id}/replies': { body: 'B' },
}
export function validBodyOf({ method, path }: Endpoint): string {
  return JSON.stringify(VALID_BODIES[`${method} ${path}`] ?? {})
}

/** What a query must have beside what a test is about. */
const REQUIRED_QUERY: Record<string, Record<string, string>> = { 'GET /api/v1/search': { q: 'known' } }
/** As the beginning of a query, to which more is added; without `given`, which the test gives itself. */
export function requiredQuery({ method, path }: Endpoint, except = ''): string {
  return Object.entries(REQUIRED_QUERY[`${method} ${path}`] ?? {})
    .filter(([name]) => name !== except)
    .map(([name, value]) => `${name}=${value}&`)
    .join('')
}

/** So that guests may write: without it, an endpoint of theirs is closed whatever it is sent. */
export const ALL_ENABLED = { 'comments.allow_guest_comments': true } as const

export function pathOf({ path }: Endpoint, params: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? UNKNOWN[name]
    if (value === undefined) {
      throw new Error(`Give {${name}} a value that is unknown, in test/world/endpoints.ts.`)
    }
    return value
  })
}

/** One after the other: side by side they would start three workers of every function. */
export async function sequentially<One, Answer>(all: One[], ask: (one: One) => Promise<Answer>) {
  const answers: Answer[] = []
  for (const one of all) answers.push(await ask(one))
  return answers
}

/** The answer with what matters of a failure: its code and the names of its fields. */
export function sendTo(baseUrl: string) {
  return async (endpoint: Endpoint, { token, body, query = '', params = {}, headers = {} }: RequestParts) => {
    const answer = await rawRequest(baseUrl, endpoint.method, `${pathOf(endpoint, params)}${query}`, {
      headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
    })
    const { errors } = Failed.safeParse(answer.json).data ?? { errors: { code: undefined, fields: {} } }
    return { ...answer, code: errors.code, fields: Object.keys(errors.fields) }
  }
}
