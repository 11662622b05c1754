// The REST API of the stage with its access log, and what belongs to it: usage plans for clients that have
// no keys, the custom domain, and the web firewall.
import { Aws, CfnOutput, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  ApiDefinition,
  ApiKey,
  CfnBasePathMapping,
  CfnDomainName,
  CfnRestApi,
  EndpointType,
  LogGroupLogDestination,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import { TIERS } from '../shared/http/audience.ts'
import { createLog, createPlainFunction, type StackContext } from './functions.ts'
import { ENDPOINT_ACCESS_MODE, gatewayDocument, TLS_POLICY } from './gateway-document.ts'
import { AUTHORIZER } from './names.ts'
import type { StageSettings } from './stage-settings.ts'

/** The stage of API Gateway, a part of its address. It is the same in every stage of the service. */
export const GATEWAY_STAGE = 'live'

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

export function createApi(scope: Construct, settings: StageSettings): SpecRestApi {
  const { domain } = settings
  const accessLog = createLog(scope, 'access-log', 'access')
  const document = gatewayDocument(settings)
  const api = new SpecRestApi(scope, 'Api', {
    restApiName: Aws.STACK_NAME,
    apiDefinition: ApiDefinition.fromInline(document),
    endpointTypes: [EndpointType.REGIONAL],
    disableExecuteApiEndpoint: domain !== undefined,
    // All stages of an account share this setting, so deleting one stage must not delete it.
    cloudWatchRole: true,
    cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    deployOptions: {
      stageName: GATEWAY_STAGE,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(LOGGED)),
    },
  })
  const resource = api.node.defaultChild
  if (!(resource instanceof CfnRestApi)) throw new Error('The REST API has no resource.')
  // The document has them as well: an import of the document resets the properties that it lacks.
  resource.apiKeySourceType = document['x-amazon-apigateway-api-key-source']
  resource.minimumCompressionSize = document['x-amazon-apigateway-minimum-compression-size']
  resource.securityPolicy = document['x-amazon-apigateway-security-policy']
  resource.endpointAccessMode = document['x-amazon-apigateway-endpoint-access-mode']
  resource.binaryMediaTypes = document['x-amazon-apigateway-binary-media-types']
  return api
}

/** Not `api.url`: it depends on the stage, which depends on the functions, which need this URL. */
export function ownUrl(api: SpecRestApi, { domain }: StageSettings): string {
  return domain
    ? `https://${domain}`
    : `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${GATEWAY_STAGE}`
}

/** Makes the keys of each stage unique in the account. They are no secret: clients cannot send them. */
const KEY_SUFFIX = Fn.select(2, Fn.split('/', Aws.STACK_ID))

/** The authorizer names the tier of a request by its key, and the plan of the key throttles the tier. */
export function createAuthorizer(scope: Construct, api: SpecRestApi, context: StackContext): void {
  const handler = createPlainFunction(scope, AUTHORIZER, context, {
    memorySize: 256,
    timeout: Duration.seconds(5),
    environment: { KEY_SUFFIX },
  })
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
    plan.addApiKey(new ApiKey(scope, `${tier}-key`, { value: `${tier}-${KEY_SUFFIX}` }))
  }
}

/** Returns the host that the DNS record of the custom domain must name, if there is a custom domain. */
export function addDomain(
  scope: Construct,
  api: SpecRestApi,
  { domain, certificate }: StageSettings,
): string | undefined {
  if (domain === undefined) return undefined
  // The CDK's own construct does not know this policy yet.
  const resource = new CfnDomainName(scope, 'Domain', {
    domainName: domain,
    regionalCertificateArn: certificate,
    endpointConfiguration: { types: ['REGIONAL'] },
    securityPolicy: TLS_POLICY,
    endpointAccessMode: ENDPOINT_ACCESS_MODE,
  })
  const target = resource.attrRegionalDomainName
  const stage = api.deploymentStage.stageName
  new CfnBasePathMapping(scope, 'DomainMapping', {
    domainName: resource.ref,
    restApiId: api.restApiId,
    stage,
  })
  const description = `The target of the DNS record of ${domain}: a CNAME, or an alias.`
  new CfnOutput(scope, 'DomainTarget', { value: target, description })
  return target
}

/** More than two builds from one address; a client without a token gets 429 from 60 requests on anyway. */
const REQUESTS_A_MINUTE = 3_000

/** A rule against floods from one address. The gateway answers what it blocks. */
export function addShield(scope: Construct, api: SpecRestApi, { shield }: StageSettings): void {
  if (!shield) return
  const webAclArn = createRateRule(scope).attrArn
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
