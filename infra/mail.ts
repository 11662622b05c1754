// Sets up mail: a configuration set in SES, and the permission to send from one address.
import { type CfnParameter, Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { ConfigurationSet, SuppressionReasons } from 'aws-cdk-lib/aws-ses'
import type { Construct } from 'constructs'

/** What the function that sends mail needs. */
export type Mailing = {
  environment: Record<string, string>
  statement: PolicyStatement
  findings: Record<string, string>
}

export function createMailing(scope: Construct, sender: CfnParameter): Mailing {
  // Addresses that bounced or complained get no more mail: SES blocks accounts that keep sending to them.
  const rules = new ConfigurationSet(scope, 'MailRules', {
    suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
  })
  const arnOf = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({ service: 'ses', resource, resourceName })
  const from = sender.valueAsString
  return {
    environment: { MAIL_SENDER: from, MAIL_CONFIGURATION_SET: rules.configurationSetName },
    statement: new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [arnOf('identity', '*'), arnOf('configuration-set', rules.configurationSetName)],
      conditions: { StringEquals: { 'ses:FromAddress': from } },
    }),
    findings: {
      'IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]':
        "Only one address may send, by its own or its domain's identity. The sandbox checks recipients.",
    },
  }
}
