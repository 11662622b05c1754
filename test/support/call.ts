// Calls the service over HTTP by its contract, and compares every answer with the OpenAPI document.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { checkAnswer } from './check-answer.ts'
import { until } from './until.ts'

export type CallOptions = {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: unknown
  token?: string
  headers?: Record<string, string>
}

const Pagination = z.object({
  current_page: z.int(),
  per_page: z.int(),
  total: z.int(),
  last_page: z.int(),
  from: z.int(),
  to: z.int(),
})
const Cursor = z.looseObject({ next: z.nullable(z.string()) })
const NO_PAGES = { current_page: 0, per_page: 0, total: 0, last_page: 0, from: 0, to: 0 }

/** The document's schema has checked all members before; these are the ones that tests read. */
const Envelope = z.object({
  message: z.string(),
  data: z.optional(z.unknown()),
  pagination: z._default(Pagination, NO_PAGES),
  cursor: z._default(Cursor, { next: null }),
  errors: z.optional(
    z.object({ code: z.string(), fields: z.optional(z.record(z.string(), z.array(z.string()))) }),
  ),
})

export type Answer<Data> = {
  status: number
  headers: Headers
  /** The data of a success. Reading it after a failure fails the test with the failure. */
  readonly data: Data
  pagination: z.infer<typeof Pagination>
  cursor: z.infer<typeof Cursor>
  code: string | undefined
  fields: Record<string, string[]> | undefined
  message: string
  /** The unparsed body. */
  text: string
}

export function callAt(baseUrl: string) {
  const send = async <Data extends z.ZodMiniType>(
    endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
    options: CallOptions,
  ): Promise<Answer<z.output<Data>>> => {
    const path = pathOf(endpoint, options)
    const response = await fetch(`${baseUrl}${path}`, {
      method: endpoint.method,
      headers: { ...(options.token && { Authorization: `Bearer ${options.token}` }), ...options.headers },
      ...(options.body !== undefined && {
        body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
      }),
    })
    return readAnswer(endpoint, path, response)
  }
  /** A busy machine answers 503 to a few requests. The tests send them again later, as other clients do. */
  return <Data extends z.ZodMiniType>(
    endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
    options: CallOptions = {},
  ): Promise<Answer<z.output<Data>>> =>
    until('a service that is not too busy', async () => {
      const answer = await send(endpoint, options)
      return answer.code !== 'UNAVAILABLE' && answer
    })
}

/** The path and the query of a call. */
export function pathOf(endpoint: Endpoint, { params = {}, query = {} }: CallOptions): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) {
      throw new Error(`Call ${endpoint.method} ${endpoint.path} with a value for {${name}} in \`params\`.`)
    }
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.append(name, String(value))
  return search.size > 0 ? `${path}?${search}` : path
}

async function readAnswer<Data extends z.ZodMiniType>(
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  path: string,
  response: Response,
): Promise<Answer<z.output<Data>>> {
  const text = await response.text()
  const { status, headers } = response
  const json: unknown = text === '' ? undefined : JSON.parse(text)
  checkAnswer({ method: endpoint.method, path, status, header: name => headers.get(name), body: json })
  const { message, data, pagination, cursor, errors } = Envelope.parse(json ?? { message: '' })
  return {
    status,
    headers,
    text,
    message,
    pagination,
    cursor,
    code: errors?.code,
    fields: errors?.fields,
    get data() {
      if (status < 300) return endpoint.data.parse(data)
      throw new Error(`${endpoint.method} ${path} answered ${status} ${text}`)
    },
  }
}
