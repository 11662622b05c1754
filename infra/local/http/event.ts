// Reads an HTTP request into the event that API Gateway sends to a function: the proxy event of a REST API.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Route } from './routes.ts'

/** API Gateway's limit for a request body. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024
/** A body that is too large is read up to this size and discarded, so that its sender receives the 413. */
const DRAIN_LIMIT_BYTES = 100 * 1024 * 1024

/** Path and query of the request line, without the scheme and host of an absolute form (RFC 9112, 3.2.2). */
export function targetOf({ url = '/' }: IncomingMessage): { path: string; query: string } {
  const relative = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const target = relative === url || relative.startsWith('/') ? relative : `/${relative}`
  const queryAt = target.indexOf('?')
  return queryAt < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, queryAt), query: target.slice(queryAt + 1) }
}

/** Returns the body; undefined if it exceeds the limit. Throws if the client disconnects. */
export async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes <= BODY_LIMIT_BYTES) {
      chunks.push(chunk)
    } else if (bytes > DRAIN_LIMIT_BYTES) {
      break
    }
  }
  return bytes <= BODY_LIMIT_BYTES ? Buffer.concat(chunks) : undefined
}

/** The event, with the body in base64, as all media types of the API are binary. */
export function proxyEvent(message: IncomingMessage, route: Route, body: Buffer) {
  const { path, query } = targetOf(message)
  const sourceIp = addressOf(message)
  const headers = headersOf(message, sourceIp)
  const parameters = decodedQuery(query)
  return {
    resource: route.resource,
    path,
    httpMethod: message.method ?? 'GET',
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: nullIfEmpty(lastValues(parameters)),
    multiValueQueryStringParameters: nullIfEmpty(parameters),
    pathParameters: nullIfEmpty(route.pathParameters),
    stageVariables: null,
    // The paths have no stage, so path and domain are as behind a custom domain.
    requestContext: {
      domainName: message.headers.host ?? '',
      identity: { sourceIp },
      path,
      requestId: randomUUID(),
    },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  }
}

/** The address of the TCP peer, which a client cannot forge. */
function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
}

/** Headers of the connection, which the gateway does not pass on. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'expect',
])

/** Names in the client's spelling, all values in order. */
function headersOf({ rawHeaders }: IncomingMessage, sourceIp: string): Record<string, string[]> {
  const byLowerCase = new Map<string, { name: string; values: string[] }>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    const lowerCase = name.toLowerCase()
    const existing = byLowerCase.get(lowerCase)
    if (existing) {
      existing.values.push(value)
    } else if (!CONNECTION_HEADERS.has(lowerCase)) {
      byLowerCase.set(lowerCase, { name, values: [value] })
    }
  }
  const set = (name: string, value: string) => byLowerCase.set(name.toLowerCase(), { name, values: [value] })
  const forwarded = byLowerCase.get('x-forwarded-for')?.values ?? []
  set('X-Forwarded-For', [...forwarded, sourceIp].join(', '))
  set('X-Forwarded-Proto', 'http')
  return Object.fromEntries([...byLowerCase.values()].map(({ name, values }) => [name, values]))
}

/** The last value of each name, for the single-value maps of the event. */
function lastValues(multiValues: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? '']))
}

function decodedQuery(query: string): Record<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return Object.fromEntries(values)
}

function nullIfEmpty<T extends object>(values: T): T | null {
  return Object.keys(values).length > 0 ? values : null
}
