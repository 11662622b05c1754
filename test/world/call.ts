// Calling the service over HTTP by its contract: every answer is held against what its endpoint promises.
import { z } from 'zod'
import type { Endpoint } from '../../shared/http/endpoint.ts'

export type Ask = {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean>
  body?: unknown
  token?: string
  headers?: Record<string, string>
}

const Pagination = z.strictObject({
  current_page: z.int(),
  per_page: z.int(),
  total: z.int(),
  last_page: z.int(),
  from: z.int(),
  to: z.int(),
})
const Failure = z.strictObject({
  success: z.literal(false),
  message: z.string().min(1),
  errors: z.strictObject({ code: z.string(), fields: z.record(z.string(), z.array(z.string())).optional() }),
})

export type Answer<Data> = {
  status: number
  headers: Headers
  /** Of a success. Reading it on a failure fails the test with what the failure was. */
  readonly data: Data
  pagination: z.infer<typeof Pagination>
  code: string | undefined
  fields: Record<string, string[]> | undefined
  message: string
  /** The body as it came. */
  text: string
}

export const callAt =
  (baseUrl: string) =>
  async <Data extends z.ZodType>(
    endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, Data>,
    ask: Ask = {},
  ): Promise<Answer<z.output<Data>>> => {
    const response = await fetch(`${baseUrl}${pathOf(endpoint, ask)}`, {
      method: endpoint.method,
      headers: { ...(ask.token && { Authorization: `Bearer ${ask.token}` }), ...ask.headers },
      ...(ask.body !== undefined && {
        body: typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body),
      }),
    })
    return readAnswer(endpoint, response)
  }

const pathOf = (endpoint: Endpoint, { params = {}, query = {} }: Ask): string => {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) search.append(name, String(value))
  return search.size > 0 ? `${path}?${search}` : path
}

const readAnswer = async <Data extends z.ZodType>(
  endpoint: Endpoint<z.ZodType, z.ZodType, z.ZodType, Data>,
  response: Response,
): Promise<Answer<z.output<Data>>> => {
  const text = await response.text()
  const name = `${endpoint.method} ${endpoint.path}`
  const json: unknown = text === '' ? undefined : JSON.parse(text)
  const failed = Failure.safeParse(json).data
  const common = { status: response.status, headers: response.headers, text }
  const none = { current_page: 0, per_page: 0, total: 0, last_page: 0, from: 0, to: 0 }
  if (response.status >= 300) {
    if (response.status !== 304 && !failed)
      throw new Error(`${name} answered ${response.status} with ${text}`)
    const { code, fields } = failed?.errors ?? {}
    return {
      ...common,
      code,
      fields,
      message: failed?.message ?? '',
      pagination: none,
      get data(): never {
        throw new Error(`${name} answered ${response.status} ${text}`)
      },
    }
  }
  const Success = z.strictObject({
    success: z.literal(true),
    message: z.string().min(1),
    data: strict(endpoint.data),
    ...(endpoint.isPaginated && { pagination: Pagination }),
  })
  const { data, message, ...rest } = Success.parse(json)
  const pagination = 'pagination' in rest ? Pagination.parse(rest.pagination) : none
  return {
    ...common,
    code: undefined,
    fields: undefined,
    message,
    data: endpoint.data.parse(data),
    pagination,
  }
}

/** Members that were not promised are a fault, too. */
const strict = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodObject) return schema.strict()
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject)
    return z.array(schema.element.strict())
  return schema
}
