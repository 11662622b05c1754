// Where calls go and how they are signed, read from a request that the SDK has signed.
import { type Headers, openSigner } from './signature.ts'
import { TRACE_HEADERS } from './trace.ts'

export type SignedRequest = {
  method: string
  protocol: string
  hostname: string
  port?: number | undefined
  path: string
  query?: object | undefined
  username?: string | undefined
  fragment?: string | undefined
  headers: Headers
}

export type Destination = {
  protocol: string
  hostname: string
  port: number | undefined
  /** Headers that are the same in every call, and are signed. */
  headers: Headers
  userAgent: string | undefined
  /** The name of the service before the operation in `x-amz-target`. */
  target: string
  sign: ReturnType<typeof openSigner>
}

/** Headers that are the same in every call. */
const CONSTANT = ['content-type', 'host', 'x-amzn-query-mode']
/** Headers that are made for each call, or that only tell which attempt it is. */
const PASSING = new Set([
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'authorization',
  'content-length',
  'user-agent',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-target',
  'x-amz-user-agent',
  ...TRACE_HEADERS,
])
const SCOPE = /^AWS4-HMAC-SHA256 Credential=[^/\s]+\/\d{8}\/([^/\s]+)\/([^/\s]+)\/aws4_request,/

/** Undefined if the request has anything that a direct call would not send alike. */
export function destinationOf(request: SignedRequest): Destination | undefined {
  const { method, protocol, hostname, port, path, query, username, fragment } = request
  const isPlain = method === 'POST' && path === '/' && !username && !fragment
  if (!isPlain || Object.keys(query ?? {}).length > 0) return undefined
  const all = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const constant = all.filter(([name]) => CONSTANT.includes(name))
  const isKnown = all.every(([name]) => PASSING.has(name) || CONSTANT.includes(name))
  if (!isKnown || constant.some(([, value]) => /\s/.test(value))) return undefined
  const headers = Object.fromEntries(all)
  const [, region, service] = SCOPE.exec(headers.authorization ?? '') ?? []
  const [, target] = /^(\w+)\.\w+$/.exec(headers['x-amz-target'] ?? '') ?? []
  if (!region || !service || !target || !headers.host) return undefined
  return {
    protocol,
    hostname,
    port,
    headers: Object.fromEntries(constant),
    userAgent: headers['user-agent'],
    target,
    sign: openSigner({ region, service }),
  }
}
