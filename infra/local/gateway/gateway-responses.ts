// The gateway's own error answers, with status and body from the template's gateway responses.
import type { Answer } from './answer.ts'
import type { ApiDocument } from './document.ts'
import { type ContextVariables, compileMapping, fillTemplate, type Mapping } from './mapping.ts'

/** API Gateway's status and message if the template declares no response. */
const DEFAULTS = {
  ACCESS_DENIED: [403, 'User is not authorized to access this resource'],
  AUTHORIZER_CONFIGURATION_ERROR: [500, 'Internal server error'],
  AUTHORIZER_FAILURE: [500, 'Internal server error'],
  DEFAULT_5XX: [500, 'Internal server error'],
  INTEGRATION_FAILURE: [502, 'Internal server error'],
  INTEGRATION_TIMEOUT: [504, 'Endpoint request timed out'],
  INVALID_API_KEY: [403, 'Forbidden'],
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token'],
  REQUEST_TOO_LARGE: [413, 'Request Too Long'],
  THROTTLED: [429, 'Too Many Requests'],
  UNAUTHORIZED: [401, 'Unauthorized'],
} satisfies Record<string, [statusCode: number, message: string]>

export type FaultType = keyof typeof DEFAULTS

/** Thrown if the gateway answers instead of a function. */
export class GatewayFault extends Error {
  readonly type: FaultType

  constructor(type: FaultType) {
    super(DEFAULTS[type][1])
    this.type = type
  }
}

export type GatewayResponses = {
  answer(fault: GatewayFault, context: ContextVariables): Answer
}

type GatewayResponse = { statusCode: number | undefined; headers: [string, Mapping][]; template: string }

const HEADER_PREFIX = 'gatewayresponse.header.'
const PLAIN_TEMPLATE = '{"message":$context.error.messageString}'

export function createGatewayResponses(document: ApiDocument): GatewayResponses {
  const responses = new Map<string, GatewayResponse>()
  for (const [type, response] of Object.entries(document['x-amazon-apigateway-gateway-responses'])) {
    responses.set(type, {
      statusCode: response.statusCode,
      headers: Object.entries(response.responseParameters)
        .filter(([name]) => name.startsWith(HEADER_PREFIX))
        .map(([name, value]) => [name.slice(HEADER_PREFIX.length), compileMapping(value)]),
      template: response.responseTemplates['application/json'] ?? PLAIN_TEMPLATE,
    })
  }

  return {
    answer(fault, context) {
      const [defaultStatus] = DEFAULTS[fault.type]
      const response =
        responses.get(fault.type) ?? responses.get(defaultStatus < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX')
      const variables: ContextVariables = {
        ...context,
        'error.message': fault.message,
        'error.messageString': JSON.stringify(fault.message),
        'error.responseType': fault.type,
      }
      const headers = (response?.headers ?? []).map(([name, value]) => [name, value(variables)] as const)
      return {
        statusCode: response?.statusCode ?? defaultStatus,
        headers: { 'Content-Type': 'application/json', ...Object.fromEntries(headers) },
        body: Buffer.from(fillTemplate(response?.template ?? PLAIN_TEMPLATE, variables)),
      }
    },
  }
}
