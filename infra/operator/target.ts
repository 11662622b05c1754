// The target of a command: a running service, a local state without a running service, or a deployed stage.
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { DeleteSuppressedDestinationCommand, NotFoundException, SESv2Client } from '@aws-sdk/client-sesv2'
import { AwsError, type ClientSettings } from '../../shared/aws/client.ts'
import { readSecret, type StoredSecret, writeSecret } from '../../shared/aws/secrets-manager.ts'
import { DYNAMODB, endpointOf, SECRETS_MANAGER, type Service, SQS } from '../../shared/aws/services.ts'
import type { QueueName } from '../../shared/events/message.ts'
import { openSender, openSqs, type QueueClient, type Sender } from '../../shared/events/sqs.ts'
import { asciiEmail, foldedEmail } from '../../shared/http/email.ts'
import type { SecretName } from '../../shared/runtime/parameters.ts'
import { connect, openTable, type Table, type TableClient } from '../../shared/table/client.ts'
import { missingAccess } from '../deploy/account.ts'
import {
  BASE_URL_OUTPUT,
  queueOutputs,
  SITE_URL_PARAMETER,
  secretOutput,
  stackNameOf,
  TABLE_OUTPUT,
} from '../names.ts'
import { OperatorError } from './operator-error.ts'

export { openStateTarget } from './local-target.ts'

export type QueueUrls = { url: string; deadLettersUrl: string }

export type Target = {
  table: Table
  /** For scans. */
  client: TableClient
  /** For the settings of tables. */
  dynamodb: DynamoDBClient
  tableName: string
  sqs: QueueClient
  sender: Sender
  queueUrls: (name: QueueName) => QueueUrls
  secret: (name: SecretName) => TargetSecret
  /** The value of the secret that seals those of webhooks. */
  privateKey: () => Promise<string>
  /** The same stage with another table. Nothing is sent to the queues: their workers act on the stage's. */
  withTable: (name: string) => Target
  /** Removes an address from the suppression list of SES. Only a deployed stage has one. */
  stopSuppressing?: (email: string) => Promise<void>
  /** The base of public URLs, unless a setting names another one. */
  ownUrl: string
  label: string
  /** The folder of a local state. */
  stateFolder?: string
  /** The name of a deployed stage. */
  stage?: string
  /** No service runs on the target, so queued work waits until one does. */
  isIdle?: boolean
  /** No worker acts on the table, so nothing is sent: messages stay in its outbox until a stage uses it. */
  isDetached?: boolean
  close: () => Promise<void>
}

type Clients = Pick<Target, 'client' | 'dynamodb' | 'sqs'>
type Connection = Clients &
  Pick<Target, 'ownUrl' | 'label' | 'stateFolder' | 'stage' | 'isIdle' | 'close'> & {
    /** The outputs of the stack, which name the table and the queues. */
    outputs: Record<string, string>
    openSecrets: OpenSecrets
  }

/** Throws OperatorError if the stack is older than this command and lacks an output. */
export function targetOf({ outputs, openSecrets, ...connection }: Connection): Target {
  const outputOf = (name: string): string => {
    const output = outputs[name]
    if (output) return output
    throw new OperatorError(
      `The stack has no output ${name}, because it is older than this command. Deploy it again.`,
    )
  }
  const queueUrls = (name: QueueName): QueueUrls => {
    const { queue, deadLetters } = queueOutputs(name)
    return { url: outputOf(queue), deadLettersUrl: outputOf(deadLetters) }
  }
  const secret = (name: SecretName) => targetSecret(openSecrets, outputOf(secretOutput(name)))
  const tableName = outputOf(TABLE_OUTPUT)
  const target: Target = {
    ...connection,
    withTable: name => {
      const table = openTable(connection.client, name)
      return detached({ ...target, table, tableName: name, label: `the table ${name}` })
    },
    tableName,
    table: openTable(connection.client, tableName),
    sender: openSender(connection.sqs, name => queueUrls(name).url, Date.now),
    queueUrls,
    secret,
    privateKey: async () => (await secret('PrivateKey').read()).value,
  }
  return target
}

/**
 * Finds the table and the queues by the outputs of the stack. For another table, nothing is sent to the
 * queues, whose workers act on the table of the stage.
 */
export async function openStageTarget(stage: string, otherTable?: string): Promise<Target> {
  const StackName = stackNameOf(stage)
  const client = new CloudFormationClient()
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName })).catch(async error => {
    const isMissing = error instanceof Error && /does not exist/.test(error.message)
    const region = await client.config.region().catch(() => 'this region')
    const advice = isMissing
      ? `There is no stage ${stage} in ${region} of this account. Check --stage, AWS_REGION and AWS_PROFILE.`
      : missingAccess(error)
    throw advice === undefined ? error : new OperatorError(advice)
  })
  const { Outputs = [], Parameters = [] } = Stacks?.[0] ?? {}
  const outputs = Object.fromEntries(
    Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  )
  const siteUrl = Parameters.find(({ ParameterKey }) => ParameterKey === SITE_URL_PARAMETER)?.ParameterValue
  const tableName = otherTable ?? outputs[TABLE_OUTPUT]
  const [dynamodb, settingsFor] = [new DynamoDBClient(), await shellSettings(client)]
  if (otherTable !== undefined) await checkTable(dynamodb, otherTable)
  const target = targetOf({
    dynamodb,
    client: connect(settingsFor(DYNAMODB)),
    sqs: openSqs(settingsFor(SQS)),
    outputs: tableName === undefined ? outputs : { ...outputs, [TABLE_OUTPUT]: tableName },
    openSecrets: async () => settingsFor(SECRETS_MANAGER),
    ownUrl: siteUrl || (outputs[BASE_URL_OUTPUT] ?? ''),
    label: `stage ${stage} (table ${tableName})`,
    stage,
    close: async () => undefined,
  })
  const isDetached = tableName !== outputs[TABLE_OUTPUT]
  return isDetached ? detached(target) : { ...target, stopSuppressing: removeSuppressed }
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

/** Throws OperatorError if there is no such table. */
async function checkTable(dynamodb: DynamoDBClient, TableName: string): Promise<void> {
  await dynamodb.send(new DescribeTableCommand({ TableName })).catch(error => {
    if (!(error instanceof ResourceNotFoundException)) throw error
    throw new OperatorError(`There is no table ${TableName}. Check --table.`)
  })
}

/** The workers of the queues act on the table of the stage, so they get no message of another one. */
function detached(target: Target): Target {
  const sender: Sender = { send: async messages => messages.map(() => ({ ok: true })) }
  return { ...target, sender, isDetached: true }
}

export type TargetSecret = {
  read: () => Promise<StoredSecret>
  /** Returns false if the version exists with another value. */
  write: (secret: StoredSecret) => Promise<boolean>
}

/** How secrets are reached. Resolved on first use, since most commands need none. */
type OpenSecrets = () => Promise<ClientSettings>

/** Throws OperatorError if the secret cannot be read or written. */
function targetSecret(open: OpenSecrets, id: string): TargetSecret {
  const refused = (verb: string, action: string) => (error: unknown) => {
    if (!(error instanceof AwsError)) throw error
    throw new OperatorError(
      `The secret ${id} cannot be ${verb} (${error.name}). Allow secretsmanager:${action} on it.`,
    )
  }
  return {
    read: async () => await readSecret(await open(), id).catch(refused('read', 'GetSecretValue')),
    write: async secret =>
      await writeSecret(await open(), id, secret).catch(refused('written', 'PutSecretValue')),
  }
}

/** From the suppression list of SES, which sends nothing to an address on it, whatever the service does. */
async function removeSuppressed(email: string): Promise<void> {
  const client = new SESv2Client()
  for (const EmailAddress of new Set([asciiEmail(email), foldedEmail(email)])) {
    await client.send(new DeleteSuppressedDestinationCommand({ EmailAddress })).catch(refusedUnlessMissing)
  }
}

function refusedUnlessMissing(error: unknown): void {
  if (error instanceof NotFoundException) return
  const name = error instanceof Error ? error.name : String(error)
  throw new OperatorError(
    `SES does not remove the address from its suppression list (${name}). Allow ses:DeleteSuppressedDestination on it.`,
  )
}
