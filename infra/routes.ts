// Adds a route for every declared endpoint, to the function of its group. All other requests go to `system`.
import {
  AuthorizationType,
  type IResource,
  LambdaIntegration,
  MockIntegration,
  PassthroughBehavior,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import { tierOf } from '../shared/http/tier.ts'
import { API_FUNCTIONS, DOCUMENT } from '../shared/service/api.ts'
import { acknowledge } from './acknowledge.ts'
import { preflightHeaders } from './gateway-headers.ts'
import type { Authorizers } from './tiers.ts'

export function addRoutes(
  api: RestApi,
  functions: Record<string, Lambda>,
  authorizers: Authorizers,
  v2ShippedOn: number | undefined,
) {
  const addRoute = (resource: IResource, method: string, integration: LambdaIntegration) =>
    resource.addMethod(method, integration, {
      // The authorizer sends the key of the tier's usage plan; clients have none.
      apiKeyRequired: true,
      authorizationType: AuthorizationType.CUSTOM,
      authorizer: authorizers[tierOf(resource.path)],
    })

  for (const [name, handler] of Object.entries(functions)) {
    const integration = integrationWith(handler)
    for (const { method, path } of routesOf(name)) {
      const resource = api.root.resourceForPath(path)
      addRoute(resource, method, integration)
      if (method === 'GET') addRoute(resource, 'HEAD', integration)
    }
    // The gateway falls back to the catch-all, so it alone answers every preflight and every 404.
    if (name === 'system') {
      for (const resource of [api.root, api.root.addResource('{proxy+}')]) {
        addRoute(resource, 'ANY', integration)
        addPreflight(resource, preflightHeaders(v2ShippedOn))
      }
    }
  }
  acknowledge(
    api,
    'COG4',
    "The functions check the service's own tokens; the authorizer only names the tier.",
  )
}

function routesOf(name: string): { method: string; path: string }[] {
  return name === DOCUMENT.name
    ? [{ method: 'GET', path: DOCUMENT.path }]
    : Object.values(API_FUNCTIONS[name]?.endpoints ?? {})
}

/** One permission for the whole API: one for each method would exceed the limits of stack and policy. */
function integrationWith(handler: Lambda): LambdaIntegration {
  return new LambdaIntegration(handler, { scopePermissionToMethod: false })
}

function addPreflight(resource: IResource, preflight: Record<string, string>) {
  const inResponse = (name: string) => `method.response.header.${name}`
  const headers = Object.entries(preflight)
  resource.addMethod(
    'OPTIONS',
    new MockIntegration({
      passthroughBehavior: PassthroughBehavior.WHEN_NO_TEMPLATES,
      requestTemplates: { 'application/json': '{"statusCode":204}' },
      integrationResponses: [
        {
          statusCode: '204',
          responseParameters: Object.fromEntries(headers.map(([name, value]) => [inResponse(name), value])),
        },
      ],
    }),
    {
      authorizationType: AuthorizationType.NONE,
      methodResponses: [
        {
          statusCode: '204',
          responseParameters: Object.fromEntries(headers.map(([name]) => [inResponse(name), true])),
        },
      ],
    },
  )
}
