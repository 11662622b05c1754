// What can be set without a new synth: CloudFormation parameters, which the local run sets too.
import { CfnParameter, type CfnParameterProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { PARAMETERS, type ParameterName } from '../shared/runtime/parameters.ts'

const DEFAULTS: Record<ParameterName, CfnParameterProps> = {
  SiteUrl: { default: '', description: "Base of every public URL; empty: the service's own address." },
  LimitScale: { default: '1', description: 'Every rate limit times this number.' },
  AllowedWebhookHosts: {
    default: '',
    description: 'Exact hosts, by commas, that webhooks may go to though their address is private.',
  },
  MailSender: {
    default: '',
    description: 'The address that mails come from, verified in SES; empty: no mail is sent.',
  },
}

export type Parameters = Record<ParameterName, CfnParameter>

export function createParameters(scope: Construct): Parameters {
  const create = (name: ParameterName): CfnParameter => {
    const { pattern, requirement } = PARAMETERS[name]
    // An empty SiteUrl never becomes a variable: the stack puts its own address there.
    const allowedPattern = name === 'SiteUrl' ? `(${pattern})?` : pattern
    return new CfnParameter(scope, name, {
      ...DEFAULTS[name],
      allowedPattern,
      constraintDescription: requirement,
    })
  }
  return {
    SiteUrl: create('SiteUrl'),
    LimitScale: create('LimitScale'),
    AllowedWebhookHosts: create('AllowedWebhookHosts'),
    MailSender: create('MailSender'),
  }
}
