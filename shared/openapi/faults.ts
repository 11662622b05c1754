// Which failures an endpoint can answer, derived from its declaration, and how the document describes them.
import { type Endpoint, isAnsweredOnce, isGuarded, namesIn, takesIdempotencyKey } from '../http/endpoint.ts'
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts'
import { failure } from '../http/reply.ts'
import { failureHeaders } from './headers.ts'
import type { Json } from './schemas.ts'

/** `isAnsweredBy`: endpoints that answer with it without naming it in their declaration; by default none. */
type Fault = { meaning: string; isAnsweredBy?: (endpoint: Endpoint) => boolean }

function always(): boolean {
  return true
}

function needsToken({ ability }: Endpoint): boolean {
  return ability !== null
}

/** Such a text may not be UTF-8. An id is right or a 404. */
function hasTextInPath({ params }: Endpoint): boolean {
  return namesIn(params).some(name => name !== 'id')
}

const FAULTS: Record<ErrorCode, Fault> = {
  UNAUTHENTICATED: {
    meaning: 'The bearer token is missing, unknown, expired or revoked.',
    isAnsweredBy: needsToken,
  },
  INVALID_CREDENTIALS: {
    meaning: 'The e-mail address or the password is wrong.',
  },
  FORBIDDEN: {
    meaning: 'The token lacks the ability that the endpoint needs, or the site has switched this off.',
    isAnsweredBy: endpoint => needsToken(endpoint) && endpoint.ability !== 'any',
  },
  ACCOUNT_BANNED: { meaning: 'The user is banned.', isAnsweredBy: needsToken },
  REGISTRATION_DISABLED: { meaning: 'The site does not accept new accounts.' },
  NOT_FOUND: {
    meaning: 'The record does not exist, or the caller may not see it.',
    isAnsweredBy: ({ params }) => namesIn(params).length > 0,
  },
  CONFLICT: {
    meaning: 'The record is in a state that does not allow this now; `message` says why.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The `Idempotency-Key` was used for another request, or its first request is still running.',
    isAnsweredBy: isAnsweredOnce,
  },
  CURSOR_EXPIRED: { meaning: 'The cursor is too old.' },
  PRECONDITION_FAILED: {
    meaning: 'The record has changed since the version named in `If-Match`.',
    isAnsweredBy: isGuarded,
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The request body is larger than 2 MiB.',
    isAnsweredBy: ({ method }) => method !== 'GET',
  },
  VALIDATION_ERROR: {
    meaning: 'The input is not valid. `errors.fields` lists every problem by field.',
    isAnsweredBy: endpoint =>
      endpoint.body !== null ||
      namesIn(endpoint.query).length > 0 ||
      hasTextInPath(endpoint) ||
      takesIdempotencyKey(endpoint),
  },
  RATE_LIMITED: { meaning: 'Too many requests. Wait as long as `Retry-After` says.', isAnsweredBy: always },
  INTERNAL_ERROR: { meaning: 'The service failed unexpectedly.', isAnsweredBy: always },
  DELIVERY_FAILED: {
    meaning: 'The delivery failed; `message` gives the reason.',
  },
  MAINTENANCE_MODE: {
    meaning: 'The site is in maintenance. Wait as long as `Retry-After` says.',
    isAnsweredBy: ({ isOpenInMaintenance }) => !isOpenInMaintenance,
  },
  UNAVAILABLE: {
    meaning: 'The service cannot answer right now. Wait as long as `Retry-After` says.',
    isAnsweredBy: always,
  },
  TIMEOUT: { meaning: 'The answer took too long.', isAnsweredBy: always },
}

const CODES = Object.keys(FAULTS).filter((code): code is ErrorCode => code in ERROR_STATUS)

function codesOf(endpoint: Endpoint): ErrorCode[] {
  const named = new Set([...endpoint.faults, ...endpoint.requires.map(({ code }) => code)])
  return CODES.filter(code => named.has(code) || FAULTS[code].isAnsweredBy?.(endpoint))
}

/** Two responses, `4XX` and `5XX`, since clients branch on the code. Adds the shared components. */
export function failuresOf(endpoint: Endpoint, components: Record<string, Json>): Json {
  const byStatus = codesOf(endpoint).toSorted((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b])
  const ranges = Object.groupBy(byStatus, code => `${Math.floor(ERROR_STATUS[code] / 100)}XX`)
  const failures: Json = {}
  for (const [range, codes = []] of Object.entries(ranges)) {
    const name = codes.map(pascal).join('Or')
    components[name] ??= failureOf(codes)
    failures[range] = { $ref: `#/components/responses/${name}` }
  }
  return failures
}

function pascal(code: ErrorCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function failureOf(codes: ErrorCode[]): Json {
  const [first] = codes
  return {
    description: codes.map(code => `- ${ERROR_STATUS[code]} \`${code}\`: ${FAULTS[code].meaning}`).join('\n'),
    headers: failureHeaders(codes),
    content: {
      'application/json': {
        schema: envelopeOf(codes),
        ...(first && { example: failure(first, FAULTS[first].meaning) }),
      },
    },
  }
}

function envelopeOf(codes: ErrorCode[]): Json {
  return {
    type: 'object',
    required: ['success', 'message', 'errors'],
    properties: {
      success: { type: 'boolean', const: false, description: 'False on every failure.' },
      message: { type: 'string', description: 'A sentence for people. It may change.' },
      errors: {
        type: 'object',
        description: 'What went wrong, for programs.',
        required: ['code'],
        properties: {
          code: { type: 'string', enum: codes, description: 'The code to branch on. It never changes.' },
          ...(codes.includes('VALIDATION_ERROR') && { fields: FIELDS }),
        },
      },
    },
  }
}

const FIELDS: Json = {
  type: 'object',
  description: 'With `VALIDATION_ERROR`: messages by the path of the field, with dots between its steps.',
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  examples: [{ title: ['Is required.'], 'category_ids.1': ['Must be a positive number.'] }],
}
