// Usage plans for clients without API keys: an authorizer names a request's tier, whose plan throttles it.
import { Aws, Fn, Stack } from 'aws-cdk-lib'
import { ApiKey, type SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { TIERS, type Tier } from '../shared/http/audience.ts'
import { createPlainFunction, invocationOf, type StackContext } from './functions.ts'
import type { StageSettings } from './settings.ts'

/** Makes the keys of each stage unique in the account. They are no secret: clients cannot send them. */
function keySuffix() {
  return Fn.select(2, Fn.split('/', Aws.STACK_ID))
}

/** The security schemes of the API's document. */
export const API_KEY = 'api_key'
export function authorizerOf(tier: Tier): string {
  return `${tier}-tier`
}

/** A reference to the scheme of a key, and an authorizer of each tier. */
export function securitySchemes(): Record<string, unknown> {
  return {
    [API_KEY]: { type: 'apiKey', name: 'x-api-key', in: 'header' },
    ...Object.fromEntries(TIERS.map(tier => [authorizerOf(tier), authorizer()])),
  }
}

/** One for each tier, since answers are cached by authorizer and address: one call per address and hour. */
function authorizer(): Record<string, unknown> {
  return {
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
}

/** The function that names the tier of a request. */
const AUTHORIZER = 'authorize-tier'

export function createAuthorizer(scope: Construct, api: SpecRestApi, context: StackContext): void {
  const environment = { KEY_SUFFIX: keySuffix() }
  const handler = createPlainFunction(
    scope,
    AUTHORIZER,
    { memoryMb: 256, timeoutSeconds: 5, environment },
    context,
  )
  allowInvocation(api, handler, 'authorizers/*')
}

/** @param caller what of the API invokes the function or alias: all its routes, or its authorizers. */
export function allowInvocation(api: SpecRestApi, handler: IFunction, caller: string): void {
  handler.addPermission('gateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: Stack.of(api).formatArn({
      service: 'execute-api',
      resource: api.restApiId,
      resourceName: caller,
    }),
  })
}

export function createUsagePlans(scope: Construct, api: SpecRestApi, { ratePerSecond }: StageSettings): void {
  for (const tier of TIERS) {
    const rateLimit = ratePerSecond[tier]
    const plan = api.addUsagePlan(`${tier}-plan`, {
      description: `All requests of the tier ${tier} together.`,
      throttle: { rateLimit, burstLimit: Math.ceil(2 * rateLimit) },
      apiStages: [{ api, stage: api.deploymentStage }],
    })
    plan.addApiKey(new ApiKey(scope, `${tier}-key`, { value: `${tier}-${keySuffix()}` }))
  }
}
