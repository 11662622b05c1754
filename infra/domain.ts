// Adds the optional custom domain of the API.
import { CfnOutput } from 'aws-cdk-lib'
import { DomainName, EndpointType, SecurityPolicy, type SpecRestApi } from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { Construct } from 'constructs'
import type { StageSettings } from './settings.ts'

/** Returns the host that the DNS record of the custom domain must name, if there is a custom domain. */
export function addDomain(scope: Construct, api: SpecRestApi, { domain }: StageSettings): string | undefined {
  if (!domain) return undefined
  const domainName = new DomainName(scope, 'Domain', {
    domainName: domain.name,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  })
  domainName.addBasePathMapping(api)
  const target = domainName.domainNameAliasDomainName
  const description = `The target of the DNS record of ${domain.name}: a CNAME, or an alias.`
  new CfnOutput(scope, 'DomainTarget', { value: target, description })
  return target
}
