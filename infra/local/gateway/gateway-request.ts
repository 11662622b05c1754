// Reads an HTTP request into the form that routing, authorizers and events use.
import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ContextVariables } from './mapping.ts'

export type GatewayRequest = {
  requestId: string
  extendedRequestId: string
  receivedAtMs: number
  httpMethod: string
  protocol: string
  /** From the request line: percent-encoded, without the query. */
  path: string
  query: string
  /** Names in the client's spelling, all values in order. */
  multiValueHeaders: Record<string, string[]>
  /** The last value of each header. */
  headers: Record<string, string>
  host: string
  apiKey: string | undefined
  acceptEncoding: string | undefined
  userAgent: string | null
  /** The address of the TCP peer, which a client cannot forge. */
  sourceIp: string
}

/** API Gateway's limit for a request body. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024
/** A body that is too large is read up to this size and discarded, so that its sender receives the 413. */
const DRAIN_LIMIT_BYTES = 100 * 1024 * 1024

export function readRequest(message: IncomingMessage, receivedAtMs: number): GatewayRequest {
  const url = targetOf(message.url ?? '/')
  const queryAt = url.indexOf('?')
  const sourceIp = (message.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const multiValueHeaders = headersOf(message, sourceIp)
  return {
    requestId: randomUUID(),
    extendedRequestId: randomBytes(11).toString('base64url'),
    receivedAtMs,
    httpMethod: message.method ?? 'GET',
    protocol: `HTTP/${message.httpVersion}`,
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: queryAt < 0 ? '' : url.slice(queryAt + 1),
    multiValueHeaders,
    headers: lastValues(multiValueHeaders),
    host: message.headers.host ?? '',
    apiKey: message.headersDistinct['x-api-key']?.[0],
    acceptEncoding: message.headers['accept-encoding'],
    userAgent: message.headers['user-agent'] ?? null,
    sourceIp,
  }
}

/** The last value of each name, for the single-value maps of a proxy event. */
export function lastValues(multiValues: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? '']))
}

/** A target in absolute form (RFC 9112, 3.2.2) counts as its path and query. */
function targetOf(url: string): string {
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return target === url || target.startsWith('/') ? target : `/${target}`
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

/** The values of `$context` for gateway responses. */
export function contextVariables(request: GatewayRequest): ContextVariables {
  return {
    requestId: request.requestId,
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.httpMethod,
    path: request.path,
    protocol: request.protocol,
    domainName: request.host,
    'identity.sourceIp': request.sourceIp,
    'identity.userAgent': request.userAgent ?? '',
  }
}

/** Headers of the connection, which the gateway does not pass on. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'expect',
])

function headersOf({ rawHeaders, socket }: IncomingMessage, sourceIp: string): Record<string, string[]> {
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
  set('X-Forwarded-Port', String(socket.localPort))
  return Object.fromEntries([...byLowerCase.values()].map(({ name, values }) => [name, values]))
}
