// How mails leave: a set of rules in SES, and who may send from the one address.
import { Aws, type CfnParameter, Stack } from 'aws-cdk-lib'
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { ConfigurationSet, SuppressionReasons } from 'aws-cdk-lib/aws-ses'
import type { Construct } from 'constructs'
import { acknowledge } from './acknowledge.ts'

/** The status in the log line of a mail that was one too many of all in its hour. */
const OVER_CEILING = 'over_ceiling'

export type Mailing = { allowSending: (handler: Lambda) => void }

export function createMailing(scope: Construct, sender: CfnParameter): Mailing {
  // Who bounced or complained once gets nothing more: SES stops an account that goes on.
  const rules = new ConfigurationSet(scope, 'MailRules', {
    suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
  })
  const arnOf = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({ service: 'ses', resource, resourceName })

  const allowSending = (handler: Lambda): void => {
    handler.addEnvironment('MAIL_SENDER', sender.valueAsString)
    handler.addEnvironment('MAIL_CONFIGURATION_SET', rules.configurationSetName)
    const statement = new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [arnOf('identity', '*'), arnOf('configuration-set', rules.configurationSetName)],
      conditions: { StringEquals: { 'ses:FromAddress': sender.valueAsString } },
    })
    const policy = new Policy(scope, `${handler.node.id}-mail`, { statements: [statement] })
    acknowledge(
      policy,
      'IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]',
      "One address may send. The identity may be that address or a domain above it; in the sandbox SES asks for the recipient's, too.",
    )
    handler.role?.attachInlinePolicy(policy)
    // Mails wait from here on, and whoever sends so many may be an attacker: the owner can set an alarm on it.
    new MetricFilter(scope, `${handler.node.id}-over-ceiling`, {
      logGroup: handler.logGroup,
      filterPattern: FilterPattern.allTerms(OVER_CEILING),
      metricNamespace: Aws.STACK_NAME,
      metricName: 'MailsOverCeiling',
    })
  }
  return { allowSending }
}
