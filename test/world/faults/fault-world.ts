// Clients of a function whose calls pass through fault injection on their way to the emulators.
import {
  DynamoDBClient,
  PutItemCommand,
  type PutItemCommandInput,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { onTestFinished } from 'vitest'
import { clientSettings } from '../../../infra/local/account.ts'
import { newTable } from '../new-table.ts'
import { startSqs } from '../sqs.ts'
import type { Interceptor } from './call.ts'
import { startCallProxy } from './call-proxy.ts'
import { FAULT_KINDS, type FaultName } from './fault-kinds.ts'
import { createFaultInjector } from './faults.ts'

/** A rate of faults: every call. */
export const ALWAYS = 1_000

export async function openFaultWorld() {
  const [world, sqs] = await Promise.all([newTable(), startSqs()])
  const TableName = world.tableName

  /** Clients behind an interceptor, without retries, and a new queue. */
  const behind = async (interceptor: Interceptor, accessKeyId = 'function') => {
    const crashed: string[] = []
    const upstreams = { dynamodb: world.endpoint, sqs: sqs.endpoint, ses: sqs.endpoint }
    const { endpoints, stop } = await startCallProxy(upstreams, [interceptor], name => crashed.push(name))
    onTestFinished(stop)
    const settingsFor = (endpoint: string) => ({
      ...clientSettings(endpoint, accessKeyId),
      maxAttempts: 1,
    })
    const table = new DynamoDBClient(settingsFor(endpoints.dynamodb))
    const queues = new SQSClient(settingsFor(endpoints.sqs))
    const name = `q${Math.random()}`.replace('.', '')
    await new SQSClient(settingsFor(sqs.endpoint)).send(new CreateQueueCommand({ QueueName: name }))
    const QueueUrl = sqs.queueUrl(name)
    const sendMessages = (bodies: string[]) => {
      const Entries = bodies.map((MessageBody, n) => ({ Id: String(n), MessageBody }))
      return queues.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    }
    return { table, queues, QueueUrl, sendMessages, depth: () => sqs.depth(name), crashed }
  }

  /** Injects this fault into every call to which it applies. */
  const withKind = (kind: FaultName) =>
    behind(createFaultInjector({ seed: 1, kinds: [kind], scale: ALWAYS / FAULT_KINDS[kind].perMille }))

  const put = (name: string) => new PutItemCommand({ TableName, Item: itemOf(name) })
  const puts = (names: string[]) =>
    new TransactWriteItemsCommand({
      TransactItems: names.map(name => ({ Put: { TableName, Item: itemOf(name) } })),
    })
  const exists = async (name: string) => (await world.dump()).some(({ pk }) => pk === name)

  return {
    dynamodb: world.dynamodb,
    TableName,
    behind,
    withKind,
    put,
    puts,
    exists,
    stop: () => Promise.all([world.stop(), sqs.stop()]),
  }
}

export function itemOf(name: string): NonNullable<PutItemCommandInput['Item']> {
  return { pk: { S: name }, sk: { S: 'x' } }
}

export function nameOf(error: Error) {
  return error.name
}
