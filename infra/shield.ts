// Puts AWS WAF in front of the API: a rule against floods from one address, or an ACL of the owner's. API Gateway
// answers what it blocks.
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import type { StageSettings } from './settings.ts'

/** More than two builds from one address; a client without a token gets 429 from 60 requests on anyway. */
const REQUESTS_A_MINUTE = 3_000

export function addShield(scope: Construct, api: SpecRestApi, { shield }: StageSettings): void {
  if (shield === false) return
  const webAclArn = shield === true ? createRateRule(scope).attrArn : shield
  new CfnWebACLAssociation(scope, 'Shield', { webAclArn, resourceArn: api.deploymentStage.stageArn })
}

function createRateRule(scope: Construct): CfnWebACL {
  const visibilityConfig = (metricName: string) => ({
    metricName,
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
  })
  const rateBasedStatement = { aggregateKeyType: 'IP', limit: REQUESTS_A_MINUTE, evaluationWindowSec: 60 }
  return new CfnWebACL(scope, 'RateRule', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibilityConfig('Requests'),
    rules: [
      {
        name: 'flood',
        priority: 0,
        statement: { rateBasedStatement },
        action: { block: {} },
        visibilityConfig: visibilityConfig('Flood'),
      },
    ],
  })
}
