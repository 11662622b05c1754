// The CloudFormation parameters: settings that need no new synth. The local run sets them as well.
import { CfnParameter, type CfnParameterProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { PARAMETERS, type ParameterName } from '../shared/runtime/parameters.ts'

/** A version's description contains the parameters that its function reads, and takes 256 characters. */
const MAX_LENGTH = 110

const DEFAULTS: Record<ParameterName, CfnParameterProps> = {
  SiteUrl: {
    default: '',
    maxLength: MAX_LENGTH,
    description: "Base of every public URL. Empty: the service's own address.",
  },
  LimitScale: { default: '1', description: 'Multiplies every rate limit.' },
  AllowedWebhookHosts: {
    default: '',
    maxLength: MAX_LENGTH,
    description:
      'Hosts, separated by commas, that webhooks may reach at private addresses. The log shows no answers of them.',
  },
  MailSender: {
    default: '',
    description: 'The sender of mails, verified in SES. Empty: no mail is sent.',
  },
  LogLevel: {
    default: 'debug',
    description: 'The lowest level that functions log: debug, info, warn or error.',
  },
}

export type Parameters = Record<ParameterName, CfnParameter>

export function createParameters(scope: Construct): Parameters {
  const create = (name: ParameterName): CfnParameter => {
    const { pattern, requirement } = PARAMETERS[name]
    // For an empty SiteUrl the stack sets its own address.
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
    LogLevel: create('LogLevel'),
  }
}
