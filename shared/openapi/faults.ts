// Which failures an endpoint can answer, derived from its declaration, and how each reads in the document.
import { type Endpoint, isGuarded, namesIn, takesIdempotencyKey } from '../http/endpoint.ts'
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts'
import { failureHeaders } from './headers.ts'
import type { Json } from './schemas.ts'

const MEANINGS: Record<ErrorCode, string> = {
  UNAUTHENTICATED: 'There is no valid bearer token.',
  INVALID_CREDENTIALS: 'E-mail address or password is wrong.',
  FORBIDDEN: 'This is not allowed: the token lacks the ability, or the site does not offer it.',
  ACCOUNT_BANNED: 'The user is banned.',
  REGISTRATION_DISABLED: 'The site takes no new accounts.',
  NOT_FOUND: 'There is no such record, or not for this caller.',
  IDEMPOTENCY_CONFLICT: 'The `Idempotency-Key` belongs to another request, or to one that still runs.',
  CURSOR_EXPIRED: 'The cursor is too old.',
  PRECONDITION_FAILED: 'The record has changed since the version that `If-Match` names.',
  PAYLOAD_TOO_LARGE: 'The request body is larger than 2 MiB.',
  VALIDATION_ERROR: 'The input is not valid; `errors.fields` names every fault by its field.',
  RATE_LIMITED: 'Too many requests; `Retry-After` says when to come back.',
  INTERNAL_ERROR: 'Something went wrong on the side of the service.',
  DELIVERY_FAILED: 'The delivery failed; `message` says why.',
  MAINTENANCE_MODE: 'The site is in maintenance.',
  UNAVAILABLE: 'The service cannot answer right now.',
  TIMEOUT: 'The answer took too long.',
}

const CODES = Object.keys(MEANINGS).filter((code): code is ErrorCode => code in ERROR_STATUS)

const canAnswer = (endpoint: Endpoint): Set<ErrorCode> => {
  const { ability, method, params, query, body, isOpenInMaintenance, requires, faults } = endpoint
  const asksForToken: ErrorCode[] = ['UNAUTHENTICATED', 'ACCOUNT_BANNED']
  const hasInput = body !== null || namesIn(query).length > 0 || takesIdempotencyKey(endpoint)
  return new Set<ErrorCode>([
    ...(ability !== null ? asksForToken : []),
    ...(ability !== null && ability !== 'any' ? (['FORBIDDEN'] as const) : []),
    ...(namesIn(params).length > 0 ? (['NOT_FOUND'] as const) : []),
    ...(takesIdempotencyKey(endpoint) ? (['IDEMPOTENCY_CONFLICT'] as const) : []),
    ...(isGuarded(endpoint) ? (['PRECONDITION_FAILED'] as const) : []),
    ...(method !== 'GET' ? (['PAYLOAD_TOO_LARGE'] as const) : []),
    ...(hasInput ? (['VALIDATION_ERROR'] as const) : []),
    ...(isOpenInMaintenance ? [] : (['MAINTENANCE_MODE'] as const)),
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'UNAVAILABLE',
    'TIMEOUT',
    ...requires.map(({ code }) => code),
    ...faults,
  ])
}

/** By status; each is a component that all endpoints with the same codes share, and is put into `components`. */
export const failuresOf = (endpoint: Endpoint, components: Record<string, Json>): Json => {
  const possible = canAnswer(endpoint)
  const byStatus = Object.groupBy(
    CODES.filter(code => possible.has(code)),
    code => ERROR_STATUS[code],
  )
  const failures: Json = {}
  for (const [status, codes = []] of Object.entries(byStatus)) {
    const name = codes.map(pascal).join('Or')
    components[name] ??= failureOf(name, codes)
    failures[status] = { $ref: `#/components/responses/${name}` }
  }
  return failures
}

const pascal = (code: ErrorCode): string =>
  code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const failureOf = (name: string, codes: ErrorCode[]): Json => ({
  description: codes.map(code => `\`${code}\`: ${MEANINGS[code]}`).join('\n\n'),
  headers: failureHeaders(codes),
  content: { 'application/json': { schema: envelopeOf(`${name}Failure`, codes) } },
})

const envelopeOf = (title: string, codes: ErrorCode[]): Json => ({
  title,
  type: 'object',
  required: ['success', 'message', 'errors'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string', description: 'For people; it may change.' },
    errors: {
      type: 'object',
      required: ['code'],
      properties: {
        code: { type: 'string', enum: codes, description: 'What clients branch on.' },
        ...(codes.includes('VALIDATION_ERROR') && { fields: FIELDS }),
      },
    },
  },
})

const FIELDS: Json = {
  type: 'object',
  description: 'What is wrong, by the path of the field, dots between its steps.',
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  examples: [{ title: ['Is required.'], 'category_ids.1': ['Must be a positive number.'] }],
}
