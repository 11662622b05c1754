// Creates the REST API: its address, its access log, its error responses. The routes are in routes.ts.
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

/** Without the client's address, and without the path, in which a client may have put private data. */
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
): { api: RestApi; accessLog: LogGroup } {
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
    // All stages of an account share this setting, so deleting one stage must not delete it.
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

  acknowledge(api, 'APIG2', 'Functions validate requests, so that every error comes in the same envelope.')
  acknowledge(api, LOGS_POLICY_FINDING, 'API Gateway accepts only this managed policy for writing its logs.')
  const stage = api.deploymentStage
  acknowledge(
    stage,
    'APIG6',
    'Execution logs contain client addresses and never expire; the access log has all errors.',
  )
  if (!webAclArn) {
    acknowledge(stage, 'APIG3', 'Rate limits are counted in code; -c webAcl=<arn> adds a firewall.')
  }
  return { api, accessLog }
}

/** Regional APIs accept TLS 1.0 by default, and the L2 construct has no property to change that. */
function requireModernTls(api: RestApi) {
  const resource = api.node.defaultChild as CfnRestApi
  resource.securityPolicy = 'SecurityPolicy_TLS13_1_2_2021_06'
  resource.endpointAccessMode = 'BASIC'
}

/** Not `api.url`: it depends on the stage, which depends on the functions, which need this URL. */
export function ownUrl(api: RestApi, { domain }: StageSettings): string {
  return domain
    ? `https://${domain.name}`
    : `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE_NAME}`
}
