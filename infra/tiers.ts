// Usage plans for clients without API keys: an authorizer names a request's tier, whose plan throttles it.
import { Aws, Duration, Fn } from 'aws-cdk-lib'
import { ApiKey, IdentitySource, RequestAuthorizer, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { TIERS, type Tier } from '../shared/http/tier.ts'
import { createPlainFunction, type StackContext } from './functions.ts'

/** Makes the keys of each stage unique in the account. They are no secret: clients cannot send them. */
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

/** One for each tier, since answers are cached by authorizer and address: one call per address and hour. */
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
