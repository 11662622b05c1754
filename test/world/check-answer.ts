// Every answer of an endpoint is held against the API's document: its status, its headers, each member of its body.
import { components, faultBy, paths, type Response } from './document.ts'

export type AnswerToCheck = {
  method: string
  /** As it was asked for, with or without a query. */
  path: string
  status: number
  header: (name: string) => string | null | undefined
  /** Undefined where there is none to look at: for HEAD, or packed. */
  body: unknown
}

type Operation = { name: string; pattern: RegExp; responses: Map<string, Response> }

function responseOf(response: { $ref: string } | Response): Response {
  const found = '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response
  if (!found) throw new Error(`The document refers to what it does not have: ${JSON.stringify(response)}`)
  return found
}

const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    responses: new Map(Object.entries(responses).map(([status, response]) => [status, responseOf(response)])),
  })),
)

/** Throws what is not as the document says. A path and method that it does not have are not its business. */
export function checkAnswer({ method, path, status, header, body }: AnswerToCheck): void {
  const asked = `${method === 'HEAD' ? 'GET' : method} ${path.split('?')[0]}`
  const operation = operations.find(({ pattern }) => pattern.test(asked))
  if (!operation) return
  const fault = faultOf(operation, { status, header, body })
  if (fault) throw new Error(`${operation.name}, asked as ${method} ${path}: ${fault}`)
}

/** Headers that mean something where they stand; the others are on every answer. */
const CHECKED_HEADERS = new Set(['ETag', 'Retry-After', 'Idempotent-Replayed'])

function faultOf({ responses }: Operation, { status, header, body }: Omit<AnswerToCheck, 'method' | 'path'>) {
  const shown = body === undefined ? '' : `: ${JSON.stringify(body).slice(0, 2_000)}`
  const response = responses.get(String(status))
  if (!response) return `the document does not have the status ${status}${shown}`
  for (const [name, { required }] of Object.entries(components.headers)) {
    const [isThere, isDescribed] = [Boolean(header(name)), name in response.headers]
    if (isThere && !isDescribed && CHECKED_HEADERS.has(name)) {
      return `${status} carries ${name}, which the document does not have`
    }
    if (!isThere && isDescribed && required) return `${status} has to carry ${name}`
  }
  if (!response.content || body === undefined) return undefined
  const fault = faultBy(response.content['application/json'].schema, body, String(status))
  return fault && `${fault}${shown}`
}
