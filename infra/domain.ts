// Adds the optional custom domain of the API.
import { CfnOutput } from 'aws-cdk-lib'
import { BasePathMapping, CfnDomainName, DomainName, type SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import type { Construct } from 'constructs'
import { ENDPOINT_ACCESS_MODE, TLS_POLICY } from './api.ts'
import type { StageSettings } from './settings.ts'

/** Returns the host that the DNS record of the custom domain must name, if there is a custom domain. */
export function addDomain(scope: Construct, api: SpecRestApi, { domain }: StageSettings): string | undefined {
  if (!domain) return undefined
  // The CDK's own construct does not know this policy yet.
  const resource = new CfnDomainName(scope, 'Domain', {
    domainName: domain.name,
    regionalCertificateArn: domain.certificateArn,
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
  const description = `The target of the DNS record of ${domain.name}: a CNAME, or an alias.`
  new CfnOutput(scope, 'DomainTarget', { value: target, description })
  return target
}
