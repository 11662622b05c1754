// What a command works on: the table, the queues and the secrets of a local state or of a deployed stage.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { ClientSettings } from '../../shared/aws/client.ts'
import { settledValue } from '../../shared/aws/secret-value.ts'
import { readSecret, type StoredSecret, writeSecret } from '../../shared/aws/secrets-manager.ts'
import type { QueueName } from '../../shared/events/message.ts'
import { openSender, type QueueClient, type Sender } from '../../shared/events/sqs.ts'
import { currentMs } from '../../shared/http/time.ts'
import type { SecretName } from '../../shared/runtime/parameters.ts'
import { openTable, type Table, type TableClient } from '../../shared/table/client.ts'
import { queueOutputs, secretOutput, TABLE_OUTPUT } from '../names.ts'
import { OperatorError } from './terminal.ts'

export type QueueUrls = { url: string; deadLettersUrl: string }

export type Connection = {
  /** For scans. */
  client: TableClient
  /** For the settings of tables. */
  dynamodb: DynamoDBClient
  sqs: QueueClient
  /** The base of public URLs, unless a setting names another one. */
  ownUrl: string
  label: string
  /** The folder of a local state. */
  stateFolder?: string
  /** Set for a deployed stage. `mailSender` is empty if it sends no mails. */
  stage?: { baseUrl: string; mailSender: string }
  /** No service works on the table, so messages wait in its outbox until one does. */
  isIdle?: boolean
  close: () => Promise<void>
}

export type Target = Connection & {
  table: Table
  tableName: string
  sender: Sender
  queueUrls: (name: QueueName) => QueueUrls
  secret: (name: SecretName) => TargetSecret
  /** The value of the secret that seals those of webhooks, as functions use it. */
  privateKey: () => Promise<string>
  /** The same stage with another table. Nothing is sent to the queues: their workers act on the stage's. */
  withTable: (name: string) => Target
}

export type TargetSecret = {
  read: () => Promise<StoredSecret>
  /** Returns false if the version exists with another value. */
  write: (secret: StoredSecret) => Promise<boolean>
}

/** The outputs of the stack name the table, the queues and the secrets. Throws OperatorError. */
export function targetOf(
  connection: Connection,
  outputs: Record<string, string>,
  secrets: ClientSettings,
): Target {
  const outputOf = (name: string): string => {
    const output = outputs[name]
    if (output) return output
    throw new OperatorError(`The stack has no output ${name}. Deploy it again.`)
  }
  const queueUrls = (name: QueueName): QueueUrls => {
    const { queue, deadLetters } = queueOutputs(name)
    return { url: outputOf(queue), deadLettersUrl: outputOf(deadLetters) }
  }
  const secret = (name: SecretName): TargetSecret => {
    const id = outputOf(secretOutput(name))
    return { read: () => readSecret(secrets, id), write: stored => writeSecret(secrets, id, stored) }
  }
  const tableName = outputOf(TABLE_OUTPUT)
  const target: Target = {
    ...connection,
    table: openTable(connection.client, tableName),
    tableName,
    sender: openSender(connection.sqs, name => queueUrls(name).url, Date.now),
    queueUrls,
    secret,
    privateKey: async () =>
      settledValue((await secret('PrivateKey').read()).value, Math.floor(currentMs() / 1000)),
    withTable: name => ({
      ...target,
      table: openTable(connection.client, name),
      tableName: name,
      label: `the table ${name}`,
      sender: { send: async messages => messages.map(() => ({ ok: true })) },
      isIdle: true,
    }),
  }
  return target
}
