// Reads the OpenAPI document of the REST API from the template: routes, authorizers, the gateway's responses.
import * as z from 'zod/mini'
import type { Resolve } from '../template/resolver.ts'
import { parseProperties, type Template } from '../template/template.ts'

const texts = z._default(z.record(z.string(), z.string()), {})

const mockResponse = z.object({
  statusCode: z.string(),
  responseParameters: texts,
  responseTemplates: texts,
})

const integration = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('aws_proxy'),
    uri: z.string(),
    timeoutInMillis: z._default(z.number(), 29_000),
  }),
  z.object({
    type: z.literal('mock'),
    requestTemplates: texts,
    /** By the pattern of a status, or `default`. */
    responses: z.record(z.string(), mockResponse),
  }),
])

const operation = z.object({
  security: z._default(z.array(z.record(z.string(), z.unknown())), []),
  'x-amazon-apigateway-integration': integration,
})

const authorizer = z.object({
  type: z.literal('request', 'the local run supports only authorizers of type request'),
  identitySource: z.literal(
    'context.identity.sourceIp',
    'the local run supports only the identity source context.identity.sourceIp',
  ),
  authorizerUri: z.string(),
  authorizerResultTtlInSeconds: z._default(z.number(), 300),
})

const securityScheme = z.union([
  z.object({ 'x-amazon-apigateway-authorizer': authorizer }),
  z.object({ type: z.literal('apiKey'), name: z.literal('x-api-key') }),
])

const gatewayResponse = z.object({
  statusCode: z.optional(z.coerce.number()),
  responseParameters: texts,
  responseTemplates: texts,
})

const securitySchemes = z._default(z.record(z.string(), securityScheme), {})

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z._default(z.object({ securitySchemes }), { securitySchemes: {} }),
  'x-amazon-apigateway-gateway-responses': z._default(z.record(z.string(), gatewayResponse), {}),
  'x-amazon-apigateway-binary-media-types': z._default(
    z.array(z.literal('*/*', 'the local run supports only */* as binary media type')),
    [],
  ),
})

const apiProperties = z.object({
  Body: document,
  ApiKeySourceType: z._default(z.enum(['HEADER', 'AUTHORIZER']), 'HEADER'),
  MinimumCompressionSize: z.optional(z.number()),
})

export type ApiDocument = z.infer<typeof document>
export type Operation = z.infer<typeof operation>
export type MockIntegration = Extract<z.infer<typeof integration>, { type: 'mock' }>

/** Throws if the API uses a feature that the local run does not support. */
export function readApiResource(template: Template, resolve: Resolve) {
  const [restApi, ...others] = template.resourcesOf('AWS::ApiGateway::RestApi')
  if (!restApi || others.length > 0) {
    throw new Error('The template must have exactly one RestApi for the local run.')
  }
  const { Body, ApiKeySourceType, MinimumCompressionSize } = restApi.properties
  const properties = { Body, ApiKeySourceType, MinimumCompressionSize }
  return { id: restApi.id, properties: parseProperties(restApi, apiProperties, resolve(properties)) }
}

/** Returns a function that finds the logical id of the function that an address invokes, also by an alias. */
export function functionFinder(template: Template, resolve: Resolve): (uri: string) => string {
  const names = new Map(
    template
      .resourcesOf('AWS::Lambda::Function')
      .map(({ id, properties }) => [id, String(resolve(properties.FunctionName ?? id))]),
  )
  const ids = new Map([...names].map(([id, name]) => [name, id]))
  for (const { properties } of template.resourcesOf('AWS::Lambda::Alias')) {
    const [id = ''] = template.referencesIn(properties.FunctionName, 'AWS::Lambda::Function')
    ids.set(`${names.get(id)}:${resolve(properties.Name)}`, id)
  }
  return uri => {
    const name = /:function:([\w:-]+)/.exec(uri)?.[1] ?? ''
    const id = ids.get(name)
    if (id === undefined) {
      throw new Error(`The REST API invokes ${uri}, which is no function or alias of the template.`)
    }
    return id
  }
}
