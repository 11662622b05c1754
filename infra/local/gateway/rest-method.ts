// Reads one method of the REST API from its document.
import type { ApiDocument, MockIntegration, Operation } from './document.ts'
import { compileMapping, type Mapping } from './mapping.ts'

export type MockResponse = { statusCode: number; headers: [name: string, value: Mapping][]; body: string }

export type RestMethod = {
  authorizer: string | undefined
  apiKeyRequired: boolean
  integration:
    | { type: 'AWS_PROXY'; functionId: string; timeoutMs: number }
    | { type: 'MOCK'; response: MockResponse }
}

/** @param route for messages. Throws if the method uses a feature that the local run does not support. */
export function readMethod(
  route: string,
  operation: Operation,
  schemes: ApiDocument['components']['securitySchemes'],
  functionOf: (uri: string) => string,
): RestMethod {
  const names = operation.security.flatMap(Object.keys)
  const missing = names.find(name => schemes[name] === undefined)
  if (missing) throw new Error(`${route} refers to ${missing}, which is no security scheme of the API.`)
  const authorizer = names.find(name => 'x-amazon-apigateway-authorizer' in Object(schemes[name]))
  const method = { authorizer, apiKeyRequired: names.some(name => name !== authorizer) }

  const integration = operation['x-amazon-apigateway-integration']
  if (integration.type === 'mock') {
    const response = mockResponse(integration)
    if (!response) throw new Error(`${route} is a mock integration without a response for its status.`)
    return { ...method, integration: { type: 'MOCK', response } }
  }
  const { uri, timeoutInMillis } = integration
  return {
    ...method,
    integration: { type: 'AWS_PROXY', functionId: functionOf(uri), timeoutMs: timeoutInMillis },
  }
}

/** The response whose pattern matches the status in the request template, else the default one. */
function mockResponse({ requestTemplates, responses }: MockIntegration): MockResponse | undefined {
  const template = requestTemplates['application/json'] ?? ''
  const status = /statusCode["']?\s*:\s*(\d+)/.exec(template)?.[1] ?? ''
  const pattern = Object.keys(responses).find(pattern => new RegExp(`^(?:${pattern})$`).test(status))
  const chosen = responses[pattern ?? 'default']
  return (
    chosen && {
      statusCode: Number(chosen.statusCode),
      headers: Object.entries(chosen.responseParameters).map(([name, value]) => [
        name.replace('method.response.header.', ''),
        compileMapping(value),
      ]),
      body: chosen.responseTemplates['application/json'] ?? '',
    }
  )
}
