// Sets up mail: a configuration set in SES, the permission to send from one address, and what comes back.
import { Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import {
  ConfigurationSet,
  EmailSendingEvent,
  EventDestination,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'

/**
 * Returns what the function that sends mail needs. Undefined without a sender: not every region has SES.
 * @param jobs the queue whose worker reads what SES publishes about the mails.
 */
export function createMailing(scope: Construct, from: string | undefined, jobs: Queue) {
  if (from === undefined) return undefined
  // Addresses that bounced or complained get no more mail: SES blocks accounts that keep sending to them.
  const rules = new ConfigurationSet(scope, 'MailRules', {
    suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
  })
  // SES publishes to a topic, which writes to the queue: not raw, since SES tests the topic with plain text.
  // The topic has no key: SES cannot use that of SNS, and the queue has a message within a moment.
  const notices = new Topic(scope, 'MailNotices', { enforceSSL: true })
  notices.addSubscription(new SqsSubscription(jobs))
  // The CDK allows SES to publish for this configuration set of this account alone.
  rules.addEventDestination('MailNoticesDestination', {
    destination: EventDestination.snsTopic(notices),
    events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
  })
  const arnOf = (resource: string, resourceName: string) =>
    Stack.of(scope).formatArn({ service: 'ses', resource, resourceName })
  return {
    environment: { MAIL_SENDER: from, MAIL_CONFIGURATION_SET: rules.configurationSetName },
    statement: new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [arnOf('identity', '*'), arnOf('configuration-set', rules.configurationSetName)],
      conditions: { StringEquals: { 'ses:FromAddress': from } },
    }),
  }
}
