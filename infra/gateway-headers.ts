// The headers of responses that API Gateway generates. Its values are quoted texts or names of variables.
import {
  CORS_HEADERS,
  deprecationHeaders,
  PREFLIGHT_HEADERS,
  SECURITY_HEADERS,
} from '../shared/http/headers.ts'

type Headers = Record<string, string>

function quoted(text: string): string {
  return `'${text}'`
}

function allQuoted(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, quoted(text)]))
}

function common(v2ShippedOn: number | undefined): Headers {
  return { ...CORS_HEADERS, ...SECURITY_HEADERS, ...deprecationHeaders(v2ShippedOn) }
}

const REQUEST_ID = { 'X-Request-Id': 'context.requestId' }

/** As AWS WAF takes them: without quotes, and without variables. */
export function plainFailureHeaders(v2ShippedOn: number | undefined, retryAfterSeconds?: number): Headers {
  return {
    ...common(v2ShippedOn),
    'Cache-Control': 'no-store',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  }
}

export function failureHeaders(v2ShippedOn: number | undefined, retryAfterSeconds?: number): Headers {
  return { ...allQuoted(plainFailureHeaders(v2ShippedOn, retryAfterSeconds)), ...REQUEST_ID }
}

export function preflightHeaders(v2ShippedOn: number | undefined): Headers {
  return { ...allQuoted({ ...common(v2ShippedOn), ...PREFLIGHT_HEADERS }), ...REQUEST_ID }
}
