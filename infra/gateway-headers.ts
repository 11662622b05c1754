// The headers of responses that API Gateway generates. Its values are quoted texts or names of variables.
import { ALLOWED_HEADERS, CORS_HEADERS } from '../shared/http/cors.ts'
import { deprecationHeaders } from '../shared/http/deprecation.ts'
import { SECURITY_HEADERS } from '../shared/http/security.ts'

type Headers = Record<string, string>

function quoted(text: string): string {
  return `'${text}'`
}

function allQuoted(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, quoted(text)]))
}

function common(v2ShippedOn: number | undefined): Headers {
  return {
    ...allQuoted({ ...CORS_HEADERS, ...SECURITY_HEADERS, ...deprecationHeaders(v2ShippedOn) }),
    'X-Request-Id': 'context.requestId',
  }
}

export function failureHeaders(v2ShippedOn: number | undefined, retryAfterSeconds?: number): Headers {
  return {
    ...common(v2ShippedOn),
    'Cache-Control': quoted('no-store'),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': quoted(String(retryAfterSeconds)) }),
  }
}

export function preflightHeaders(v2ShippedOn: number | undefined): Headers {
  return {
    ...common(v2ShippedOn),
    'Access-Control-Allow-Methods': quoted('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'),
    'Access-Control-Allow-Headers': quoted(ALLOWED_HEADERS),
    'Access-Control-Max-Age': quoted('7200'),
  }
}
