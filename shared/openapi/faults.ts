// Which failures an endpoint can answer, derived from its declaration, and how each reads in the document.
import { abilitiesAtTimes, type Endpoint, isGuarded, namesIn, takesIdempotencyKey } from '../http/endpoint.ts'
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts'
import { failureHeaders } from './headers.ts'
import type { Json } from './schemas.ts'

/** `of`: the endpoints that can answer it, beside those whose declaration names it. */
type Fault = { meaning: string; of: (endpoint: Endpoint) => boolean }

function all(): boolean {
  return true
}

function onlyNamed(): boolean {
  return false
}

function withToken(endpoint: Endpoint): boolean {
  return endpoint.ability !== null || abilitiesAtTimes(endpoint).length > 0
}

const FAULTS: Record<ErrorCode, Fault> = {
  UNAUTHENTICATED: { meaning: 'There is no valid bearer token.', of: withToken },
  INVALID_CREDENTIALS: { meaning: 'E-mail address or password is wrong.', of: onlyNamed },
  FORBIDDEN: {
    meaning: 'This is not allowed: the token lacks the ability, or the site does not offer it.',
    of: endpoint => withToken(endpoint) && endpoint.ability !== 'any',
  },
  ACCOUNT_BANNED: { meaning: 'The user is banned.', of: withToken },
  REGISTRATION_DISABLED: { meaning: 'The site takes no new accounts.', of: onlyNamed },
  NOT_FOUND: {
    meaning: 'There is no such record, or not for this caller.',
    of: ({ params }) => namesIn(params).length > 0,
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The `Idempotency-Key` belongs to another request, or to one that still runs.',
    of: takesIdempotencyKey,
  },
  CURSOR_EXPIRED: { meaning: 'The cursor is too old.', of: onlyNamed },
  PRECONDITION_FAILED: {
    meaning: 'The record has changed since the version that `If-Match` names.',
    of: isGuarded,
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The request body is larger than 2 MiB.',
    of: ({ method }) => method !== 'GET',
  },
  VALIDATION_ERROR: {
    meaning: 'The input is not valid; `errors.fields` names every fault by its field.',
    of: endpoint =>
      endpoint.body !== null || namesIn(endpoint.query).length > 0 || takesIdempotencyKey(endpoint),
  },
  RATE_LIMITED: { meaning: 'Too many requests; `Retry-After` says when to come back.', of: all },
  INTERNAL_ERROR: { meaning: 'Something went wrong on the side of the service.', of: all },
  DELIVERY_FAILED: { meaning: 'The delivery failed; `message` says why.', of: onlyNamed },
  MAINTENANCE_MODE: {
    meaning: 'The site is in maintenance.',
    of: ({ isOpenInMaintenance }) => !isOpenInMaintenance,
  },
  UNAVAILABLE: { meaning: 'The service cannot answer right now.', of: all },
  TIMEOUT: { meaning: 'The answer took too long.', of: all },
}

const CODES = Object.keys(FAULTS).filter((code): code is ErrorCode => code in ERROR_STATUS)

function codesOf(endpoint: Endpoint): ErrorCode[] {
  const named = new Set([...endpoint.faults, ...endpoint.requires.map(({ code }) => code)])
  return CODES.filter(code => named.has(code) || FAULTS[code].of(endpoint))
}

/** By status; each is a component that all endpoints with the same codes share, and is put into `components`. */
export function failuresOf(endpoint: Endpoint, components: Record<string, Json>): Json {
  const byStatus = Object.groupBy(codesOf(endpoint), code => ERROR_STATUS[code])
  const failures: Json = {}
  for (const [status, codes = []] of Object.entries(byStatus)) {
    const name = codes.map(pascal).join('Or')
    components[name] ??= failureOf(name, codes)
    failures[status] = { $ref: `#/components/responses/${name}` }
  }
  return failures
}

function pascal(code: ErrorCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function failureOf(name: string, codes: ErrorCode[]): Json {
  return {
    description: codes.map(code => `\`${code}\`: ${FAULTS[code].meaning}`).join('\n\n'),
    headers: failureHeaders(codes),
    content: { 'application/json': { schema: envelopeOf(`${name}Failure`, codes) } },
  }
}

function envelopeOf(title: string, codes: ErrorCode[]): Json {
  return {
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
  }
}

const FIELDS: Json = {
  type: 'object',
  description: 'What is wrong, by the path of the field, dots between its steps.',
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  examples: [{ title: ['Is required.'], 'category_ids.1': ['Must be a positive number.'] }],
}
