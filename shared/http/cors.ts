// CORS headers: any site may call the API. Headers are listed by name, as `*` does not cover Authorization.

export const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
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

/** Sent with every answer. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
}
