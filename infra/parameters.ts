// The CloudFormation parameters: settings that need no new synth. The local run sets them as well.
import { CfnParameter, type CfnParameterProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { PARAMETERS, type ParameterName } from '../shared/runtime/parameters.ts'

/** A version's description contains all parameters, and takes 256 characters. */
const MAX_LENGTH = 110

/** That of the sender is a value of the stage: without it the template has nothing of SES. */
export type StackParameter = Exclude<ParameterName, 'MailSender'>

const DEFAULTS: Record<StackParameter, CfnParameterProps> = {
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
  LogLevel: {
    default: 'debug',
    description: 'The lowest level that functions log: debug, info, warn or error.',
  },
}

export type Parameters = Record<StackParameter, CfnParameter>

export function createParameters(scope: Construct): Parameters {
  const create = (name: StackParameter): CfnParameter => {
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
    LogLevel: create('LogLevel'),
  }
}
