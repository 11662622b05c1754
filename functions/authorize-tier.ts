// The authorizer of API Gateway: names the usage plan of a request. It denies no request.
import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda'
import { tierOf } from '../shared/http/audience.ts'

/** The gateway caches the answer for all routes of the tier, so it allows the whole stage. */
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
