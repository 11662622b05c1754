// The REST API as such: where it is reached, what it logs, how it answers. Its routes are in routes.ts.
import { Aws, RemovalPolicy, Size } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  ApiKeySourceType,
  type CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { acknowledge } from './acknowledge.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import type { StageSettings } from './settings.ts'

const STAGE_NAME = 'live'

const LOGS_POLICY_FINDING =
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]'

/** No address and no path, which may hold what a client should not have put there. */
const LOGGED = {
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  bytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  functionMs: '$context.integration.latency',
  madeByGateway: '$context.error.responseType',
  authorizerError: '$context.authorizer.error',
  functionError: '$context.integration.error',
}

export function createApi(
  scope: Construct,
  { isDisposable, domain, webAclArn, v2ShippedOn }: StageSettings,
): RestApi {
  const accessLog = new LogGroup(scope, 'access-log', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: isDisposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  })
  const api = new RestApi(scope, 'Api', {
    restApiName: Aws.STACK_NAME,
    endpointTypes: [EndpointType.REGIONAL],
    disableExecuteApiEndpoint: domain !== undefined,
    apiKeySourceType: ApiKeySourceType.AUTHORIZER,
    minCompressionSize: Size.bytes(1024),
    // The account's setting, which all stages share: whoever goes first must not take it along.
    cloudWatchRole: true,
    cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
    deployOptions: {
      stageName: STAGE_NAME,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(LOGGED)),
    },
  })
  requireModernTls(api)
  addGatewayResponses(api, v2ShippedOn)

  acknowledge(api, 'APIG2', 'Functions validate, so that all faults of a request come in one envelope.')
  acknowledge(
    api,
    LOGS_POLICY_FINDING,
    'The policy that AWS gives API Gateway to write its logs; no other will do.',
  )
  const stage = api.deploymentStage
  acknowledge(
    stage,
    'APIG6',
    'Execution logs hold addresses and are kept for ever; the access log has all errors.',
  )
  if (!webAclArn) {
    acknowledge(stage, 'APIG3', 'Limits are counted in code; -c webAcl=<arn> adds a shield against floods.')
  }
  return api
}

/** Regional APIs take TLS 1.0 unless told otherwise; the L2 construct has no word for it. */
function requireModernTls(api: RestApi) {
  const resource = api.node.defaultChild as CfnRestApi
  resource.securityPolicy = 'SecurityPolicy_TLS13_1_2_2021_06'
  resource.endpointAccessMode = 'BASIC'
}

/** Not `api.url`: that names the stage, which waits for all functions, which want to know this. */
export function ownUrl(api: RestApi, { domain }: StageSettings): string {
  return domain
    ? `https://${domain.name}`
    : `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE_NAME}`
}
