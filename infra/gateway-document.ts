// The OpenAPI document that API Gateway imports: each endpoint leads to its function, all else to `public`;
// an authorizer for each tier; the answers of the gateway itself. People read shared/openapi/document.ts.
import { Aws } from 'aws-cdk-lib'
import { TIERS, type Tier, tierOf } from '../shared/http/audience.ts'
import { ERROR_STATUS, type ErrorCode } from '../shared/http/errors.ts'
import {
  CORS_HEADERS,
  deprecationHeaders,
  PREFLIGHT_HEADERS,
  SECURITY_HEADERS,
} from '../shared/http/headers.ts'
import { failure } from '../shared/http/reply.ts'
import { API_FUNCTIONS, DOCUMENT, OTHERS } from '../shared/service/api-functions.ts'
import { invocationOf } from './functions.ts'
import { ALIAS, AUTHORIZER, MIN_COMPRESSION_BYTES } from './names.ts'
import type { StageSettings } from './stage-settings.ts'

/** Also of a custom domain. Regional APIs accept TLS 1.0 by default. */
export const TLS_POLICY = 'SecurityPolicy_TLS13_1_2_2021_06'
export const ENDPOINT_ACCESS_MODE = 'BASIC'

export function gatewayDocument({ v2ShippedOn, domain }: StageSettings) {
  return {
    openapi: '3.0.1',
    info: { title: Aws.STACK_NAME, version: '1' },
    paths: pathsOf(v2ShippedOn),
    components: { securitySchemes: securitySchemes() },
    // The document has the last word, also where the resource has a property of this name.
    'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: domain !== undefined },
    'x-amazon-apigateway-api-key-source': 'AUTHORIZER',
    'x-amazon-apigateway-minimum-compression-size': MIN_COMPRESSION_BYTES,
    'x-amazon-apigateway-security-policy': TLS_POLICY,
    'x-amazon-apigateway-endpoint-access-mode': ENDPOINT_ACCESS_MODE,
    // Functions get bodies as bytes. As texts, what is not UTF-8 would come as U+FFFD, and be stored so.
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-gateway-responses': gatewayResponses(v2ShippedOn),
  }
}

type Operation = Record<string, unknown>
type Paths = Record<string, Record<string, Operation>>

/** API Gateway falls back to these, so they alone answer every preflight and every 404. */
const CATCH_ALL = ['/', '/{proxy+}']
const ANY = 'x-amazon-apigateway-any-method'

function pathsOf(v2ShippedOn: number | undefined): Paths {
  const paths: Paths = {}
  const add = (path: string, method: string, operation: Operation): void => {
    paths[path] = { ...paths[path], [method]: operation }
  }
  const route = (name: string, method: string, path: string) => {
    add(path, method.toLowerCase(), answeredBy(name, path))
    if (method === 'GET') add(path, 'head', answeredBy(name, path))
  }
  for (const [name, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    for (const { method, path } of Object.values(endpoints)) route(name, method, path)
  }
  route(DOCUMENT.name, 'GET', DOCUMENT.path)
  for (const path of CATCH_ALL) {
    add(path, ANY, answeredBy(OTHERS, path))
    add(path, 'options', preflight(path, headersOf(v2ShippedOn, PREFLIGHT_HEADERS)))
  }
  return paths
}

function answeredBy(name: string, path: string): Operation {
  return {
    ...parametersIn(path),
    // The authorizer sends the key of the tier's usage plan; clients have none.
    security: [{ [authorizerOf(tierOf(path))]: [] }, { [API_KEY]: [] }],
    responses: {},
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: invocationOf(name, ALIAS),
    },
  }
}

function parametersIn(path: string): Operation {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name)
  const parameters = names.map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  return parameters.length > 0 ? { parameters } : {}
}

function preflight(path: string, headers: Record<string, string>): Operation {
  const names = Object.keys(headers)
  return {
    ...parametersIn(path),
    responses: {
      204: {
        description: 'Preflight',
        headers: Object.fromEntries(names.map(name => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      // Without it, a mock fails with 500 where the media types of the API are binary.
      contentHandling: 'CONVERT_TO_TEXT',
      passthroughBehavior: 'when_no_templates',
      requestTemplates: { 'application/json': '{"statusCode":204}' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
          ),
        },
      },
    },
  }
}

/** The security schemes of the API's document. */
const API_KEY = 'api_key'
function authorizerOf(tier: Tier): string {
  return `${tier}-tier`
}

/** An authorizer of each tier, since answers are cached by authorizer and address, for an hour. */
function securitySchemes(): Record<string, unknown> {
  const authorizer = {
    type: 'apiKey',
    name: 'Unused',
    in: 'header',
    'x-amazon-apigateway-authtype': 'custom',
    'x-amazon-apigateway-authorizer': {
      type: 'request',
      identitySource: 'context.identity.sourceIp',
      authorizerUri: invocationOf(AUTHORIZER),
      authorizerResultTtlInSeconds: 3600,
    },
  }
  return {
    [API_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' },
    ...Object.fromEntries(TIERS.map(tier => [authorizerOf(tier), authorizer])),
  }
}

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
function gatewayResponses(v2ShippedOn: number | undefined): Record<string, unknown> {
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
