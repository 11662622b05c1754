// Compares an answer or a delivery with the OpenAPI document: status, headers and each member of the body.
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import { ERROR_STATUS, type ErrorCode } from '../../shared/http/errors.ts'
import { WITH_RETRY_AFTER } from '../../shared/openapi/headers.ts'
import { components, faultBy, paths, type Response, webhooks } from './document.ts'

export type AnswerToCheck = {
  method: string
  /** The requested path, with or without a query. */
  path: string
  status: number
  header: (name: string) => string | null | undefined
  /** Undefined if there is no readable body: after HEAD, or when it is compressed. */
  body: unknown
}

const Code = z.custom<ErrorCode>(code => typeof code === 'string' && code in ERROR_STATUS)

type Operation = { name: string; pattern: RegExp; responses: Map<string, Response> }

function responseOf(response: { $ref: string } | Response): Response {
  const found = '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response
  if (!found) throw new Error(`The document has a broken reference: ${JSON.stringify(response)}`)
  return found
}

const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    responses: new Map(Object.entries(responses).map(([status, response]) => [status, responseOf(response)])),
  })),
)

/** Throws if the answer contradicts the document. Ignores paths and methods that are not in it. */
export function checkAnswer({ method, path, status, header, body }: AnswerToCheck): void {
  const requested = `${method === 'HEAD' ? 'GET' : method} ${path.split('?')[0]}`
  const operation = operations.find(({ pattern }) => pattern.test(requested))
  if (!operation) return
  const fault = faultOf(operation, { status, header, body })
  if (fault) throw new Error(`${operation.name}, requested as ${method} ${path}: ${fault}`)
}

/** Headers that only some answers have; all others are on every answer. */
const CHECKED_HEADERS = new Set(['ETag', 'Retry-After', 'Idempotent-Replayed', 'X-Batch-Id', 'X-Robots-Tag'])

const CodesOf = z.object({
  properties: z.object({
    errors: z.object({ properties: z.object({ code: z.object({ enum: z.array(Code) }) }) }),
  }),
})

/** The statuses of the error codes in a response such as `4XX`. */
export function statusesOf(response: Response): number[] {
  const { errors } = CodesOf.parse(response.content?.['application/json'].schema).properties
  return errors.properties.code.enum.map(code => ERROR_STATUS[code])
}

/** The response of the status, or of a range such as `4XX` with an error code of the status. */
function responseTo(responses: Operation['responses'], status: number): Response | undefined {
  const range = responses.get(`${Math.floor(status / 100)}XX`)
  return responses.get(String(status)) ?? (range && statusesOf(range).includes(status) ? range : undefined)
}

const Failure = z.object({ errors: z.object({ code: Code }) })

function faultOfCode(status: number, header: AnswerToCheck['header'], body: unknown): string | undefined {
  const { data } = Failure.safeParse(body)
  if (!data) return undefined
  const { code } = data.errors
  if (ERROR_STATUS[code] !== status) return `${code} has to be ${ERROR_STATUS[code]} and not ${status}`
  return header('Retry-After') && !WITH_RETRY_AFTER.has(code) ? `${code} carries Retry-After` : undefined
}

function faultOf({ responses }: Operation, { status, header, body }: Omit<AnswerToCheck, 'method' | 'path'>) {
  const shown = body === undefined ? '' : `: ${JSON.stringify(body).slice(0, 2_000)}`
  const response = responseTo(responses, status)
  if (!response) return `the document does not have the status ${status}${shown}`
  for (const [name, { required }] of Object.entries(components.headers)) {
    const [isThere, isDescribed] = [Boolean(header(name)), name in response.headers]
    if (isThere && !isDescribed && CHECKED_HEADERS.has(name)) {
      return `${status} carries ${name}, which the document does not have`
    }
    if (!isThere && isDescribed && required) return `${status} has to carry ${name}`
  }
  if (!response.content || body === undefined) return undefined
  const fault =
    faultBy(response.content['application/json'].schema, body, String(status)) ??
    faultOfCode(status, header, body)
  return fault && `${fault}${shown}`
}

/** Describes how the delivery contradicts the document, if it does. */
export function deliveryFault(
  event: string,
  headers: IncomingHttpHeaders,
  body: unknown,
): string | undefined {
  const webhook = webhooks[event]?.post
  if (!webhook) return `the document has no event ${event}`
  const faults = webhook.parameters
    .filter(({ name, required }) => required || name.toLowerCase() in headers)
    .map(({ name, schema }) => faultBy(schema, headers[name.toLowerCase()], name))
  faults.push(faultBy(webhook.requestBody.content['application/json'].schema, body, event))
  const found = faults.filter(fault => fault !== undefined)
  return found.length > 0 ? `${found.join('; ')}: ${JSON.stringify({ headers, body })}` : undefined
}
