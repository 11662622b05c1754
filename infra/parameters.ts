// What can be set without a new synth: CloudFormation parameters, which the local run sets too.
import { CfnParameter } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { SITE_URL_PARAMETER } from './names.ts'

export type Parameters = {
  siteUrl: CfnParameter
  limitScale: CfnParameter
  allowLoopbackWebhooks: CfnParameter
  allowedWebhookHosts: CfnParameter
  mailSender: CfnParameter
}

export const createParameters = (scope: Construct): Parameters => ({
  siteUrl: new CfnParameter(scope, SITE_URL_PARAMETER, {
    default: '',
    description: "Base of every public URL; empty: the service's own address.",
  }),
  limitScale: new CfnParameter(scope, 'LimitScale', {
    default: '1',
    allowedPattern: '\\d+(\\.\\d+)?',
    description: 'Every rate limit times this number.',
  }),
  allowLoopbackWebhooks: new CfnParameter(scope, 'AllowLoopbackWebhooks', {
    default: 'false',
    allowedValues: ['true', 'false'],
    description: 'Whether webhooks may go to this very machine: for the local run.',
  }),
  allowedWebhookHosts: new CfnParameter(scope, 'AllowedWebhookHosts', {
    default: '',
    description: 'Exact hosts, by commas, that webhooks may go to though their address is not public.',
  }),
  mailSender: new CfnParameter(scope, 'MailSender', {
    default: '',
    allowedPattern: '([^\\s@<>,"]+@[^\\s@<>,"]+)?',
    constraintDescription: 'an e-mail address without a name',
    description: 'The address that mails come from, verified in SES; empty: no mail is sent.',
  }),
})
