// The headers of every answer: CORS, security, and the deprecation of v1. Any site may call the API.
import { httpDate, monthsLater } from './time.ts'

const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Preview-Token',
  'X-Request-Id',
].join(', ')

const EXPOSED_HEADERS = [
  'ETag',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
].join(', ')

/** Sent with the answer to a preflight, besides those of every answer. */
export const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers': ALLOWED_HEADERS,
  'Access-Control-Max-Age': '7200',
}

/** Sent with every answer. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
}

/** Over plain http, as in the local run, browsers ignore the second header (RFC 6797, 8.1). */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
}

/** Contract "Versioning": v1 stays available for at least this long. */
const MONTHS = 6

/** RFC 9745 and RFC 8594. @param v2ShippedOn in epoch seconds; undefined while there is no v2. */
export function deprecationHeaders(v2ShippedOn: number | undefined): Record<string, string> {
  return v2ShippedOn === undefined
    ? {}
    : { Deprecation: `@${v2ShippedOn}`, Sunset: httpDate(monthsLater(v2ShippedOn, MONTHS)) }
}
