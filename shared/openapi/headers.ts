// The headers of requests and answers, each described once.
import { type Endpoint, isAnsweredOnce, isGuarded, showsTag, takesIdempotencyKey } from '../http/endpoint.ts'
import type { ErrorCode } from '../http/errors.ts'
import type { Json } from './schemas.ts'

function text(description: string, required = false): Json {
  return {
    description,
    ...(required && { required }),
    schema: { type: 'string' },
  }
}

function number(description: string): Json {
  return { description, schema: { type: 'integer', format: 'int64' } }
}

/** Headers of answers. `X-RateLimit-*` are missing when the limiter failed. */
export const HEADERS = {
  'X-Request-Id': text("The request's own id if it was well-formed, else a new one.", true),
  'Cache-Control': text(
    'Public reads may be stored but must be revalidated; nothing else may be stored.',
    true,
  ),
  ETag: text('Identifies this state of the answer, for `If-None-Match` and `If-Match`.', true),
  'X-RateLimit-Limit': number('Requests allowed a minute.'),
  'X-RateLimit-Remaining': number('Requests left in this minute.'),
  'X-RateLimit-Reset': number('When the minute ends, in epoch seconds.'),
  'Retry-After': number('Seconds to wait before the next attempt.'),
  'Idempotent-Replayed': text('`true` on the answer to a repeated request, which changed nothing.'),
  'X-Batch-Id': text('The id of the request. Those of its operations begin with it.'),
  'X-Robots-Tag': text('`noindex` on what only a preview token shows.'),
  Deprecation: text('Sent once v2 has shipped: since when, as `@` and epoch seconds (RFC 9745).'),
  Sunset: text('Sent once v2 has shipped: until when v1 works, as an HTTP date (RFC 8594).'),
} as const
type HeaderName = keyof typeof HEADERS

function headers(...names: HeaderName[]): Json {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

const LIMITS = headers('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset')

/** The headers of a success, and of a 304. */
export function answerHeaders(endpoint: Endpoint): Json {
  return {
    ...headers('X-Request-Id', 'Cache-Control'),
    ...(showsTag(endpoint) && headers('ETag')),
    ...(isAnsweredOnce(endpoint) && headers('Idempotent-Replayed')),
    ...(endpoint.isBatch && headers('X-Batch-Id')),
    ...(endpoint.takesPreview && headers('X-Robots-Tag')),
    ...LIMITS,
    ...headers('Deprecation', 'Sunset'),
  }
}

/** The headers of a failure: only those that are useful there. */
export function failureHeaders(codes: readonly ErrorCode[]): Json {
  return {
    ...headers('X-Request-Id'),
    ...(codes.some(code => WITH_RETRY_AFTER.has(code)) && headers('Retry-After')),
    ...(codes.includes('RATE_LIMITED') && LIMITS),
  }
}

/** Failures that may carry `Retry-After`. */
export const WITH_RETRY_AFTER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RATE_LIMITED',
  'MAINTENANCE_MODE',
  'UNAVAILABLE',
  'IDEMPOTENCY_CONFLICT',
])

/** The example belongs to the schema: the docs page would send an example of the parameter itself. */
function parameter(name: string, description: string, example: string, schema: Json = {}): Json {
  return {
    name,
    in: 'header',
    description,
    schema: { type: 'string', ...schema, examples: [example] },
  }
}

/** Headers of requests, by the name of their component. */
export const HEADER_PARAMETERS = {
  RequestId: parameter(
    'X-Request-Id',
    `An id of your own: 1 to 128 of \`A-Za-z0-9._-\`. The answer, the log and the deliveries contain it. Without a valid
    one, the service creates one.`,
    'build-2026-05-26',
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'ETags that you have, or `*`. If one of them still identifies the answer, it is 304 without a body.',
    'W/"q3jKbQ2VNfS0dXyz"',
  ),
  IfMatch: parameter(
    'If-Match',
    'ETags that you have seen, or `*`. If the record has changed since, nothing is written and the answer is 412.',
    '*',
  ),
  PreviewToken: parameter(
    'Preview-Token',
    `A token of \`POST /api/v1/admin/posts/{id}/preview\`: shows the record that it is for, also while readers do not see it.`,
    'kB3v0aZPqJ2rYgHc5nT8wXfLs1dMe7uQiOj4VtRbCzA',
  ),
} as const
type ParameterName = keyof typeof HEADER_PARAMETERS

/** Each operation has its own example, because the service rejects a key that another path has used. */
function idempotencyKey(operationId: string, { isBatch }: Endpoint): Json {
  const repeated = isBatch ? 'operation at the same position' : 'path'
  return parameter(
    'Idempotency-Key',
    `A key of your choice that makes it safe to repeat the request: the same key, ${repeated} and body within 24
    hours get the first answer again, and nothing is changed. Another ${repeated} or body with the same key is 409.
    Only successful answers are stored.`,
    `${operationId}-1`,
    { minLength: 1, maxLength: 255 },
  )
}

export function headerParametersOf(operationId: string, endpoint: Endpoint): Json[] {
  const names: ParameterName[] = ['RequestId']
  if (endpoint.method === 'GET' && showsTag(endpoint)) names.push('IfNoneMatch')
  if (isGuarded(endpoint)) names.push('IfMatch')
  if (endpoint.takesPreview) names.push('PreviewToken')
  const shared = names.map(name => ({ $ref: `#/components/parameters/${name}` }))
  return takesIdempotencyKey(endpoint) ? [...shared, idempotencyKey(operationId, endpoint)] : shared
}
