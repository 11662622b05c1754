// Puts AWS WAF in front of the API: a rule against floods from one address, or an ACL of the owner's.
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import { ERROR_STATUS } from '../shared/http/errors.ts'
import { failure } from '../shared/http/reply.ts'
import { plainFailureHeaders } from './gateway-responses.ts'
import type { StageSettings } from './settings.ts'

/** More than two builds from one address; a client without a token gets 429 from 60 requests on anyway. */
const REQUESTS_A_MINUTE = 3_000
const WINDOW_SECONDS = 60

export function addShield(scope: Construct, api: SpecRestApi, { shield, v2ShippedOn }: StageSettings): void {
  if (shield === false) return
  const webAclArn = shield === true ? createRateRule(scope, v2ShippedOn).attrArn : shield
  new CfnWebACLAssociation(scope, 'Shield', { webAclArn, resourceArn: api.deploymentStage.stageArn })
}

function createRateRule(scope: Construct, v2ShippedOn: number | undefined): CfnWebACL {
  const visibilityConfig = (metricName: string) => ({
    metricName,
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
  })
  return new CfnWebACL(scope, 'RateRule', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibilityConfig('Requests'),
    customResponseBodies: {
      flood: {
        contentType: 'APPLICATION_JSON',
        content: JSON.stringify(failure('RATE_LIMITED', 'Too many requests.')),
      },
    },
    rules: [
      {
        name: 'flood',
        priority: 0,
        statement: {
          rateBasedStatement: {
            aggregateKeyType: 'IP',
            limit: REQUESTS_A_MINUTE,
            evaluationWindowSec: WINDOW_SECONDS,
          },
        },
        action: {
          block: {
            customResponse: {
              responseCode: ERROR_STATUS.RATE_LIMITED,
              customResponseBodyKey: 'flood',
              responseHeaders: Object.entries(plainFailureHeaders(v2ShippedOn, WINDOW_SECONDS)).map(
                ([name, value]) => ({ name, value }),
              ),
            },
          },
        },
        visibilityConfig: visibilityConfig('Flood'),
      },
    ],
  })
}
