// Creates the REST API from one OpenAPI document of its routes, authorizers and responses; its access log and
// its optional custom domain.
import { Aws, CfnOutput, RemovalPolicy } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  ApiDefinition,
  BasePathMapping,
  CfnDomainName,
  CfnRestApi,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { Construct } from 'constructs'
import { createLog } from './functions.ts'
import { gatewayResponses } from './gateway-responses.ts'
import { MIN_COMPRESSION_BYTES } from './names.ts'
import { pathsOf } from './routes.ts'
import type { StageSettings } from './settings.ts'
import { securitySchemes } from './tiers.ts'

/** The stage of API Gateway, a part of its address. It is the same in every stage of the service. */
export const GATEWAY_STAGE = 'live'

/** Also of a custom domain. Regional APIs accept TLS 1.0 by default. */
const TLS_POLICY = 'SecurityPolicy_TLS13_1_2_2021_06'
const ENDPOINT_ACCESS_MODE = 'BASIC'

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
  const document = documentOf(settings)
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

/** For API Gateway and not for people, whose document is shared/openapi/document.ts. */
function documentOf({ v2ShippedOn, domain }: StageSettings) {
  return {
    openapi: '3.0.1',
    info: { title: Aws.STACK_NAME, version: '1' },
    paths: pathsOf(v2ShippedOn),
    components: { securitySchemes: securitySchemes() },
    // The document has the last word, also where the resource has a property of this name.
    'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: domain !== undefined },
    'x-amazon-apigateway-api-key-source': 'AUTHORIZER',
    'x-amazon-apigateway-minimum-compression-size': MIN_COMPRESSION_BYTES,
    'x-amazon-apigateway-security-policy': TLS_POLICY,
    'x-amazon-apigateway-endpoint-access-mode': ENDPOINT_ACCESS_MODE,
    // Functions get bodies as bytes. As texts, what is not UTF-8 would come as U+FFFD, and be stored so.
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-gateway-responses': gatewayResponses(v2ShippedOn),
  }
}

/** Not `api.url`: it depends on the stage, which depends on the functions, which need this URL. */
export function ownUrl(api: SpecRestApi, { domain }: StageSettings): string {
  return domain
    ? `https://${domain}`
    : `https://${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${GATEWAY_STAGE}`
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
  const domainName = DomainName.fromDomainNameAttributes(scope, 'DomainName', {
    domainName: resource.ref,
    domainNameAliasTarget: target,
    domainNameAliasHostedZoneId: resource.attrRegionalHostedZoneId,
  })
  new BasePathMapping(scope, 'DomainMapping', { domainName, restApi: api })
  const description = `The target of the DNS record of ${domain}: a CNAME, or an alias.`
  new CfnOutput(scope, 'DomainTarget', { value: target, description })
  return target
}
