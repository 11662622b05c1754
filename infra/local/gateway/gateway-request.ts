// One HTTP request as the gateway sees it, before it knows which method answers.
import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ContextVariables } from './mapping.ts'

export type GatewayRequest = {
  requestId: string
  extendedRequestId: string
  receivedAtMs: number
  httpMethod: string
  protocol: string
  /** As in the request line: percent-encoded, without the query. */
  path: string
  query: string
  /** Names as the client spelled them, all values in order. */
  multiValueHeaders: Record<string, string[]>
  /** The last value of each. */
  headers: Record<string, string>
  host: string
  apiKey: string | undefined
  acceptEncoding: string | undefined
  userAgent: string | null
  /** The TCP peer: nothing that a client sends. */
  sourceIp: string
}

/** API Gateway's limit on a request body. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024
/** Up to here a body too large is read and dropped, so that its sender gets to see the 413. */
const DRAIN_LIMIT_BYTES = 100 * 1024 * 1024

export function readRequest(message: IncomingMessage, receivedAtMs: number): GatewayRequest {
  const url = message.url ?? '/'
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
    headers: lastOfEach(multiValueHeaders),
    host: message.headers.host ?? '',
    apiKey: message.headersDistinct['x-api-key']?.[0],
    acceptEncoding: message.headers['accept-encoding'],
    userAgent: message.headers['user-agent'] ?? null,
    sourceIp,
  }
}

/** The last value of each name: what the single-value maps of a proxy event hold. */
export function lastOfEach(multiValues: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? '']))
}

/** The body as text; undefined when it is larger than the gateway takes. Throws when the client goes away. */
export async function readBody(message: IncomingMessage): Promise<string | undefined> {
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
  return bytes <= BODY_LIMIT_BYTES ? Buffer.concat(chunks).toString('utf8') : undefined
}

/** `$context` for the gateway's own answers. */
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

/** Headers that end at the gateway. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'expect'])

function headersOf({ rawHeaders, socket }: IncomingMessage, sourceIp: string): Record<string, string[]> {
  const byLowerCase = new Map<string, { name: string; values: string[] }>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    const lowerCase = name.toLowerCase()
    const known = byLowerCase.get(lowerCase)
    if (known) {
      known.values.push(value)
    } else if (!OWN_HEADERS.has(lowerCase)) {
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
