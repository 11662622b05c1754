// The service's functions in this process, on emulators of their own: they read where from the environment.
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { vi } from 'vitest'
import { startSqs } from '../../infra/local/fauxqs.ts'
import { newToken } from '../../shared/accounts/tokens.ts'
import { createUser } from '../../shared/accounts/users.ts'
import type { QueueName } from '../../shared/events/message.ts'
import type { Ability } from '../../shared/http/audience.ts'
import type { Table } from '../../shared/table/client.ts'
import { type Consumed, type Consumer, consumeAll } from './queue.ts'
import { startTable, type TableWorld } from './table.ts'

export type Caller = { userId: number; token: string }

export type ServiceWorld = {
  table: Table
  /** For what the typed table does not show. */
  raw: TableWorld
  /** Every line that the functions logged, parsed. */
  logged: () => unknown[]
  /** A new user with a token of these abilities. */
  signIn: (...abilities: Ability[]) => Promise<Caller>
  /** Hands everything in the queue to its function, batch by batch, until it is empty. */
  drain: (queue: QueueName, consumer: Consumer) => Promise<Consumed>
  stop: () => Promise<void>
}

/** `settings` are further environment variables of all functions. One world per test file. */
export const startService = async (settings: Record<string, string> = {}): Promise<ServiceWorld> => {
  const [raw, sqs] = await Promise.all([startTable(), startSqs()])
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: raw.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    TABLE_NAME: raw.tableName,
    SERVICE_VERSION: '1.2.3',
    SITE_URL: 'https://site.example',
    CLIENT_KEY: 'the key of client addresses',
    WEBHOOK_KEY: 'the key of webhook secrets',
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    LIMIT_SCALE: '1000',
    EVENTS_QUEUE_URL: sqs.queueUrl('events'),
    DELIVERIES_QUEUE_URL: sqs.queueUrl('deliveries'),
    TIDY_QUEUE_URL: sqs.queueUrl('tidy'),
    ...settings,
  })
  const queues = new SQSClient()
  for (const QueueName of ['events', 'deliveries', 'tidy'])
    await queues.send(new CreateQueueCommand({ QueueName }))
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})

  return {
    table: raw.table,
    raw,
    logged: () => log.mock.calls.map(([line]) => JSON.parse(String(line))),
    signIn: (...abilities) => signIn(raw.table, abilities),
    drain: (queue, consumer) => consumeAll(queues, sqs.queueUrl(queue), consumer),
    stop: async () => {
      log.mockRestore()
      queues.destroy()
      await Promise.all([raw.stop(), sqs.stop()])
    },
  }
}

let users = 0

const signIn = async (table: Table, abilities: Ability[]): Promise<Caller> => {
  const email = `user-${++users}@example.com`
  const given = { name: 'Ada', email, email_verified: true, password_hash: null }
  const nowSeconds = Math.floor(Date.now() / 1000)
  const user = await createUser(table, given, nowSeconds)
  const { action, text } = await newToken(table, { user_id: user.id, name: 'test', abilities }, nowSeconds)
  await table.transact([action])
  return { userId: user.id, token: text }
}
