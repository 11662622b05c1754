// Tells API Gateway which usage plan a request counts in. It decides nothing else and denies nobody.
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda'
import { tierOf } from '../shared/http/tier.ts'

/** The answer is kept for every route of the tier, so it allows the whole stage. */
export async function handler({
  resource,
  methodArn,
}: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const tier = tierOf(resource)
  const [api, stage] = methodArn.split('/')
  return {
    principalId: tier,
    usageIdentifierKey: `${tier}-${process.env.KEY_SUFFIX}`,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: `${api}/${stage}/*/*` }],
    },
  }
}
