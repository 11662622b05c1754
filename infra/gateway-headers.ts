// The headers of answers that API Gateway makes itself, in its language: a text in quotes, or the name of a value.
import { ALLOWED_HEADERS, CORS_HEADERS } from '../shared/http/cors.ts'

type Headers = Record<string, string>

const quoted = (text: string): string => `'${text}'`

const allQuoted = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, quoted(text)]))

const COMMON: Headers = {
  ...allQuoted(CORS_HEADERS),
  'X-Request-Id': 'context.requestId',
}

export const failureHeaders = (retryAfterSeconds?: number): Headers => ({
  ...COMMON,
  'Cache-Control': quoted('no-store'),
  ...(retryAfterSeconds !== undefined && { 'Retry-After': quoted(String(retryAfterSeconds)) }),
})

export const PREFLIGHT_HEADERS: Headers = {
  ...COMMON,
  'Access-Control-Allow-Methods': quoted('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'),
  'Access-Control-Allow-Headers': quoted(ALLOWED_HEADERS),
  'Access-Control-Max-Age': quoted('7200'),
}
