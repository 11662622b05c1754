// What the template says about one method of the REST API.
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

/** @throws when the method uses something that only the real service can do. */
export function readMethod(
  resource: Resource,
  template: Template,
  resolve: (value: unknown) => unknown,
): RestMethod {
  const given = parseProperties(resource, properties, resource.properties)
  const [authorizerId] = template.referencesIn(given.AuthorizerId, 'AWS::ApiGateway::Authorizer')
  if (given.AuthorizationType === 'CUSTOM' && authorizerId === undefined) {
    throw new Error(`${resource.id} wants an authorizer that the template does not declare.`)
  }
  const method = { httpMethod: given.HttpMethod, authorizerId, apiKeyRequired: given.ApiKeyRequired }

  const { Integration } = given
  if (Integration.Type === 'AWS_PROXY') {
    const [functionId] = template.referencesIn(Integration.Uri, 'AWS::Lambda::Function')
    if (!functionId) throw new Error(`${resource.id} is integrated with no function of this template.`)
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
    if (!response) throw new Error(`${resource.id} is a MOCK without an integration response for its status.`)
    return { ...method, integration: { type: 'MOCK', response } }
  }
  throw new Error(
    `${resource.id}: the local run knows AWS_PROXY and MOCK integrations, not ${Integration.Type}.`,
  )
}

/** The request template names a status; the response whose pattern fits it answers, else the one without. */
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
