// The responses that API Gateway generates itself: errors in the same envelope as all others, and preflights.
import { ERROR_STATUS, type ErrorCode } from '../shared/http/errors.ts'
import {
  CORS_HEADERS,
  deprecationHeaders,
  PREFLIGHT_HEADERS,
  SECURITY_HEADERS,
} from '../shared/http/headers.ts'
import { failure } from '../shared/http/reply.ts'

type GatewayAnswer = { code: ErrorCode; message: string; retryAfterSeconds?: number; types: string[] }

const ANSWERS: GatewayAnswer[] = [
  { code: 'RATE_LIMITED', message: 'Too many requests.', retryAfterSeconds: 1, types: ['THROTTLED'] },
  {
    code: 'RATE_LIMITED',
    message: 'Too many requests.',
    retryAfterSeconds: 60,
    // The rule of the shield counts the requests of a minute.
    types: ['QUOTA_EXCEEDED', 'WAF_FILTERED'],
  },
  { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is too large.', types: ['REQUEST_TOO_LARGE'] },
  {
    code: 'VALIDATION_ERROR',
    message: 'The request could not be read.',
    types: ['BAD_REQUEST_BODY', 'BAD_REQUEST_PARAMETERS', 'UNSUPPORTED_MEDIA_TYPE'],
  },
  {
    code: 'NOT_FOUND',
    message: 'Endpoint not found.',
    // The gateway may mistake a bearer token for a bad AWS signature where there is no endpoint.
    types: [
      'MISSING_AUTHENTICATION_TOKEN',
      'RESOURCE_NOT_FOUND',
      'INVALID_SIGNATURE',
      'EXPIRED_TOKEN',
      'DEFAULT_4XX',
    ],
  },
  {
    code: 'UNAVAILABLE',
    message: 'The service is busy. Try again in a moment.',
    retryAfterSeconds: 2,
    // A throttled or crashed function recovers within seconds, and clients retry a 503.
    types: ['INTEGRATION_FAILURE', 'DEFAULT_5XX'],
  },
  { code: 'TIMEOUT', message: 'The answer took too long.', types: ['INTEGRATION_TIMEOUT'] },
  {
    code: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side.',
    // The authorizer allows every request and clients have no keys, so these are faults of the service.
    types: [
      'INVALID_API_KEY',
      'ACCESS_DENIED',
      'UNAUTHORIZED',
      'AUTHORIZER_FAILURE',
      'AUTHORIZER_CONFIGURATION_ERROR',
      'API_CONFIGURATION_ERROR',
    ],
  },
]

/** By the response type of API Gateway, for the API's document. */
export function gatewayResponses(v2ShippedOn: number | undefined): Record<string, unknown> {
  const responses = ANSWERS.flatMap(({ code, message, retryAfterSeconds, types }) => {
    const headers = headersOf(v2ShippedOn, {
      'Cache-Control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    })
    const response = {
      statusCode: ERROR_STATUS[code],
      responseParameters: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
      ),
      responseTemplates: { 'application/json': JSON.stringify(failure(code, message)) },
    }
    return types.map(type => [type, response])
  })
  return Object.fromEntries(responses)
}

export function preflightHeaders(v2ShippedOn: number | undefined): Headers {
  return headersOf(v2ShippedOn, PREFLIGHT_HEADERS)
}

type Headers = Record<string, string>

/** Those of every answer, and more. Values of API Gateway are quoted texts or names of variables. */
function headersOf(v2ShippedOn: number | undefined, more: Headers): Headers {
  const all: Headers = {
    ...CORS_HEADERS,
    ...SECURITY_HEADERS,
    ...deprecationHeaders(v2ShippedOn),
    ...more,
  }
  const quoted = Object.entries(all).map(([name, text]) => [name, `'${text}'`])
  return { ...Object.fromEntries(quoted), 'X-Request-Id': 'context.requestId' }
}
