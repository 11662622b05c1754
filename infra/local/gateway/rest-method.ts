// Reads one method of the REST API from the template.
import * as z from 'zod/mini'
import { parseProperties, type Resource, type Template } from '../template/template.ts'
import { compileMapping, type Mapping } from './mapping.ts'

export type MockResponse = { statusCode: number; headers: [name: string, value: Mapping][]; body: string }

export type RestMethod = {
  /** GET, POST … or ANY. */
  httpMethod: string
  authorizerId: string | undefined
  apiKeyRequired: boolean
  integration:
    | { type: 'AWS_PROXY'; functionId: string; timeoutMs: number }
    | { type: 'MOCK'; response: MockResponse }
}

const integrationResponse = z.object({
  StatusCode: z.string(),
  SelectionPattern: z.optional(z.string()),
  ResponseParameters: z._default(z.record(z.string(), z.string()), {}),
  ResponseTemplates: z._default(z.record(z.string(), z.string()), {}),
})

const properties = z.object({
  HttpMethod: z.string(),
  ApiKeyRequired: z._default(z.boolean(), false),
  AuthorizationType: z._default(z.enum(['NONE', 'CUSTOM']), 'NONE'),
  AuthorizerId: z.optional(z.unknown()),
  Integration: z.object({
    Type: z.string(),
    Uri: z.optional(z.unknown()),
    TimeoutInMillis: z._default(z.number(), 29_000),
    RequestTemplates: z._default(z.record(z.string(), z.string()), {}),
    IntegrationResponses: z.optional(z.unknown()),
  }),
})

/** Throws if the method uses a feature that the local run does not support. */
export function readMethod(
  resource: Resource,
  template: Template,
  resolve: (value: unknown) => unknown,
): RestMethod {
  const parsed = parseProperties(resource, properties, resource.properties)
  const [authorizerId] = template.referencesIn(parsed.AuthorizerId, 'AWS::ApiGateway::Authorizer')
  if (parsed.AuthorizationType === 'CUSTOM' && authorizerId === undefined) {
    throw new Error(`${resource.id} refers to an authorizer that the template does not declare.`)
  }
  const method = { httpMethod: parsed.HttpMethod, authorizerId, apiKeyRequired: parsed.ApiKeyRequired }

  const { Integration } = parsed
  if (Integration.Type === 'AWS_PROXY') {
    const [functionId] = template.referencesIn(Integration.Uri, 'AWS::Lambda::Function')
    if (!functionId) throw new Error(`The integration of ${resource.id} refers to no function.`)
    return {
      ...method,
      integration: { type: 'AWS_PROXY', functionId, timeoutMs: Integration.TimeoutInMillis },
    }
  }
  if (Integration.Type === 'MOCK') {
    const responses = parseProperties(
      resource,
      z.array(integrationResponse),
      resolve(Integration.IntegrationResponses),
    )
    const response = mockResponse(Integration.RequestTemplates['application/json'] ?? '', responses)
    if (!response) throw new Error(`${resource.id} is a MOCK integration without a response for its status.`)
    return { ...method, integration: { type: 'MOCK', response } }
  }
  throw new Error(
    `${resource.id}: the local run supports AWS_PROXY and MOCK integrations, not ${Integration.Type}.`,
  )
}

/** The response whose pattern matches the status in the request template, else the one without pattern. */
function mockResponse(
  requestTemplate: string,
  responses: z.infer<typeof integrationResponse>[],
): MockResponse | undefined {
  const status = /statusCode["']?\s*:\s*(\d+)/.exec(requestTemplate)?.[1] ?? ''
  const chosen =
    responses.find(
      ({ SelectionPattern: pattern }) => pattern && new RegExp(`^(?:${pattern})$`).test(status),
    ) ?? responses.find(({ SelectionPattern: pattern }) => !pattern)
  return (
    chosen && {
      statusCode: Number(chosen.StatusCode),
      headers: Object.entries(chosen.ResponseParameters).map(([name, value]) => [
        name.replace('method.response.header.', ''),
        compileMapping(value),
      ]),
      body: chosen.ResponseTemplates['application/json'] ?? '',
    }
  )
}
