// A deployed stage as a target, found by the outputs of its stack, with the AWS credentials of the shell.
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { ClientSettings, Service } from '../../shared/aws/client.ts'
import { DYNAMODB, endpointOf, SECRETS_MANAGER, SQS } from '../../shared/aws/services.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { connect } from '../../shared/table/client.ts'
import { missingAccess, readStack } from '../deploy/deployed-stack.ts'
import { BASE_URL_OUTPUT, SITE_URL_PARAMETER } from '../names.ts'
import { type Target, targetOf } from './target.ts'
import { OperatorError } from './terminal.ts'

/** With `otherTable` nothing is sent to the queues, because their workers use the table of the stage. */
export async function openStageTarget(stage: string, otherTable?: string): Promise<Target> {
  const cloudFormation = new CloudFormationClient()
  const { outputs, parameters } = await describeStage(cloudFormation, stage)
  const baseUrl = outputs[BASE_URL_OUTPUT] ?? ''
  const settingsFor = await shellSettings(cloudFormation)
  const connection = {
    dynamodb: new DynamoDBClient(),
    client: connect(settingsFor(DYNAMODB)),
    sqs: openSqs(settingsFor(SQS)),
    ownUrl: parameters[SITE_URL_PARAMETER] || baseUrl,
    label: `stage ${stage}`,
    stage: { baseUrl, mailSender: parameters.MailSender ?? '' },
    close: async () => undefined,
  }
  const target = targetOf(connection, outputs, settingsFor(SECRETS_MANAGER))
  const tableName = otherTable ?? target.tableName
  const label = `stage ${stage} (table ${tableName})`
  return { ...(tableName === target.tableName ? target : target.withTable(tableName)), label }
}

/** Throws OperatorError if there is no such stage, or the shell has no access. */
async function describeStage(client: CloudFormationClient, stage: string) {
  try {
    const found = await readStack(client, stage)
    if (found) return found
  } catch (error) {
    const advice = missingAccess(error)
    throw advice === undefined ? error : new OperatorError(advice)
  }
  throw new OperatorError(
    `There is no stage ${stage} in ${await client.config.region()} of this account. Check --stage, AWS_REGION and AWS_PROFILE.`,
  )
}

/** With the region and the credentials of the shell, and time for slow lines. */
async function shellSettings({ config }: CloudFormationClient) {
  const region = await config.region()
  return (service: Service): ClientSettings => ({
    region,
    credentials: config.credentials,
    endpoint: endpointOf(service, region, process.env),
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 20_000 },
  })
}
