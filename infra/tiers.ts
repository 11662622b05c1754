// Usage plans for clients without keys: an authorizer tells a request's tier, the tier's plan throttles it.
import { Aws, Duration, Fn } from 'aws-cdk-lib'
import { ApiKey, IdentitySource, RequestAuthorizer, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { TIERS, type Tier } from '../shared/http/tier.ts'
import { createPlainFunction, type StackContext } from './functions.ts'

/** A constant value would clash with the next stage in the account; clients cannot send it, so it is no secret. */
function keySuffix() {
  return Fn.select(2, Fn.split('/', Aws.STACK_ID))
}

export type Authorizers = Record<Tier, RequestAuthorizer>

export function createAuthorizers(
  scope: Construct,
  context: Pick<StackContext, 'bundleFolder' | 'isDisposable'>,
): Authorizers {
  const handler = createPlainFunction(
    scope,
    'authorize-tier',
    { memoryMb: 256, timeoutSeconds: 5, environment: { KEY_SUFFIX: keySuffix() }, statements: [] },
    context,
  )
  return {
    public: createAuthorizer(scope, 'public', handler),
    me: createAuthorizer(scope, 'me', handler),
    admin: createAuthorizer(scope, 'admin', handler),
  }
}

/** One for each tier, as an answer is kept by authorizer and address: one cold start an hour and address. */
function createAuthorizer(scope: Construct, tier: Tier, handler: Lambda): RequestAuthorizer {
  return new RequestAuthorizer(scope, `${tier}-tier`, {
    handler,
    identitySources: [IdentitySource.context('identity.sourceIp')],
    resultsCacheTtl: Duration.hours(1),
  })
}

export function createUsagePlans(scope: Construct, api: RestApi, ratePerSecond: Record<Tier, number>) {
  for (const tier of TIERS) {
    const rateLimit = ratePerSecond[tier]
    const plan = api.addUsagePlan(`${tier}-plan`, {
      description: `All requests of the tier ${tier} together.`,
      throttle: { rateLimit, burstLimit: Math.ceil(rateLimit / 2) },
      apiStages: [{ api, stage: api.deploymentStage }],
    })
    plan.addApiKey(new ApiKey(scope, `${tier}-key`, { value: `${tier}-${keySuffix()}` }))
  }
}
