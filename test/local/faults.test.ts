// The effect of each kind of fault on calls to the real emulators.
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import type { Interceptor } from '../../infra/local/faults/call.ts'
import { startCallProxy } from '../../infra/local/faults/call-proxy.ts'
import { FAULT_KINDS, type FaultName } from '../../infra/local/faults/fault-kinds.ts'
import { createFaultInjector, type FaultOptions } from '../../infra/local/faults/faults.ts'
import { createItemLocks } from '../../infra/local/faults/item-locks.ts'
import { type Sqs, startSqs } from '../../infra/local/queues/fauxqs.ts'
import { newTable } from '../world/new-table.ts'
import type { TableWorld } from '../world/table.ts'

const ALWAYS = 1_000

let world: TableWorld
let TableName: string
let sqs: Sqs
beforeAll(async () => {
  ;[world, sqs] = await Promise.all([newTable(), startSqs()])
  TableName = world.tableName
})
afterAll(() => Promise.all([world.stop(), sqs.stop()]))

/** Clients of one worker behind an interceptor, without retries. */
async function behind(interceptor: Interceptor, session = 'a worker') {
  const crashed: string[] = []
  const upstreams = { dynamodb: world.endpoint, sqs: sqs.endpoint, ses: sqs.endpoint }
  const { endpoints, stop } = await startCallProxy(upstreams, [interceptor], each => crashed.push(each))
  onTestFinished(stop)
  const settingsFor = (endpoint: string) => ({
    ...clientSettings(endpoint, { accessKeyId: 'Function', session }),
    maxAttempts: 1,
  })
  const table = new DynamoDBClient(settingsFor(endpoints.dynamodb))
  const queues = new SQSClient(settingsFor(endpoints.sqs))
  const name = `q${Math.random()}`.replace('.', '')
  await new SQSClient(settingsFor(sqs.endpoint)).send(new CreateQueueCommand({ QueueName: name }))
  return { table, queues, QueueUrl: sqs.queueUrl(name), depth: () => sqs.depth(name), crashed }
}

function withKind(kind: FaultName, options: Partial<FaultOptions> = {}) {
  return behind(
    createFaultInjector({ seed: 1, kinds: [kind], scale: ALWAYS / FAULT_KINDS[kind].perMille, ...options }),
  )
}

function itemOf(name: string) {
  return { pk: { S: name }, sk: { S: 'x' } }
}

function put(name: string) {
  return new PutItemCommand({ TableName, Item: itemOf(name) })
}

function puts(names: string[]) {
  return new TransactWriteItemsCommand({
    TransactItems: names.map(name => ({ Put: { TableName, Item: itemOf(name) } })),
  })
}

async function isThere(name: string) {
  return (await world.dump()).some(({ pk }) => pk === name)
}

function nameOf(error: Error) {
  return error.name
}

function sending(QueueUrl: string, bodies: string[]) {
  return new SendMessageBatchCommand({
    QueueUrl,
    Entries: bodies.map((MessageBody, n) => ({ Id: String(n), MessageBody })),
  })
}

describe('the fault injector', () => {
  it('affects only calls of workers', async () => {
    const interceptor = createFaultInjector({ seed: 1, scale: ALWAYS })
    const { table } = await behind(interceptor, '')
    await table.send(put('untouched'))
    expect(await isThere('untouched')).toBe(true)
  })

  it('repeats the same faults with the same seed and injects others with another', async () => {
    const faultsWith = async (seed: number) => {
      const kinds: string[] = []
      const { table } = await behind(
        createFaultInjector({ seed, scale: 5, onFault: kind => kinds.push(kind) }),
      )
      for (let n = 0; n < 40; n++) await table.send(put('again')).catch(() => kinds.push(`at ${n}`))
      return kinds
    }
    const [first, second, other] = [await faultsWith(7), await faultsWith(7), await faultsWith(8)]
    expect(first.length).toBeGreaterThan(3)
    expect(second).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

describe('the faults conflict, throttled and failed', () => {
  it.each([
    ['conflict', 'TransactionConflictException'],
    ['throttled', 'ProvisionedThroughputExceededException'],
    ['failed', 'InternalServerError'],
  ] as const)('the fault %s answers with %s and writes nothing', async (kind, name) => {
    const { table } = await withKind(kind)
    expect(await table.send(put(kind)).catch(nameOf)).toBe(name)
    expect(await isThere(kind)).toBe(false)
  })

  it('the fault conflict cancels a transaction with a reason for one item', async () => {
    const { table } = await withKind('conflict')
    const error: unknown = await table.send(puts(['one', 'two', 'three'])).catch(error => error)
    const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : []
    expect(reasons?.map(({ Code }) => Code).sort()).toEqual(['None', 'None', 'TransactionConflict'])
    expect(await isThere('one')).toBe(false)
  })
})

describe('the fault lost', () => {
  it('performs the write but closes the connection without an answer', async () => {
    const { table } = await withKind('lost')
    expect(await table.send(put('lost')).catch(({ code }) => code)).toBe('ECONNRESET')
    expect(await isThere('lost')).toBe(true)
  })
})

describe('the fault partly', () => {
  it('leaves the second half of a batch of reads or writes unprocessed', async () => {
    const { table } = await withKind('partly')
    await world.client.send(puts(['p1', 'p2', 'p3']))
    const Keys = ['p1', 'p2', 'p3'].map(itemOf)
    const read = await table.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }))
    expect(read.Responses?.[TableName]).toHaveLength(1)
    expect(read.UnprocessedKeys?.[TableName]?.Keys).toHaveLength(2)
    const RequestItems = { [TableName]: Keys.slice(0, 2).map(Key => ({ DeleteRequest: { Key } })) }
    const removed = await table.send(new BatchWriteItemCommand({ RequestItems }))
    expect(removed.UnprocessedItems?.[TableName]).toHaveLength(1)
    expect([await isThere('p1'), await isThere('p2')]).toEqual([false, true])
  })

  it('sends only the first half of a batch of messages', async () => {
    const { queues, QueueUrl, depth } = await withKind('partly')
    const { Successful, Failed } = await queues.send(sending(QueueUrl, ['a', 'b', 'c']))
    expect([Successful?.map(({ Id }) => Id), Failed?.map(({ Id }) => Id)]).toEqual([['0'], ['1', '2']])
    expect(depth().visible).toBe(1)
  })
})

describe('the faults of queues', () => {
  it('the fault twice sends each message two times', async () => {
    const { queues, QueueUrl, depth } = await withKind('twice')
    await queues.send(sending(QueueUrl, ['a', 'b']))
    expect(depth().visible).toBe(4)
  })

  it('the fault late delays a message', async () => {
    const { queues, QueueUrl, depth } = await withKind('late')
    await queues.send(sending(QueueUrl, ['a']))
    expect(depth()).toEqual({ visible: 0, inFlight: 0, delayed: 1 })
  })

  it('the fault undeleted keeps a deleted message in its queue', async () => {
    const { queues, QueueUrl, depth } = await withKind('undeleted')
    await queues.send(sending(QueueUrl, ['a']))
    const { Messages = [] } = await queues.send(new ReceiveMessageCommand({ QueueUrl }))
    await queues.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle }))
    expect(depth().inFlight).toBe(1)
  })
})

describe('the faults of crashes', () => {
  it.each([
    ['crashBefore', false],
    ['crashAfter', true],
  ] as const)('the fault %s ends the worker that calls; its write is performed: %s', async (kind, isDone) => {
    const { table, crashed } = await withKind(kind)
    await expect(table.send(put(kind))).rejects.toThrow()
    expect(crashed).toEqual(['a worker'])
    expect(await isThere(kind)).toBe(isDone)
  })
})

describe('createItemLocks', () => {
  it('item locks reject other writes of an item while a transaction writes it, but no reads', async () => {
    let conflicts = 0
    const { table } = await behind(createItemLocks({ onConflict: () => conflicts++ }))
    const writing = table.send(puts(['l1', 'l2']))
    const others = [table.send(puts(['l2', 'l3'])).catch(nameOf), table.send(put('l1')).catch(nameOf)]
    const reading = table.send(new GetItemCommand({ TableName, Key: itemOf('l1') }))
    expect(await Promise.all(others)).toEqual([
      'TransactionCanceledException',
      'TransactionConflictException',
    ])
    // The read sees the state before or after the transaction, without waiting.
    expect((await reading).$metadata.httpStatusCode).toBe(200)
    await writing
    await table.send(puts(['l2', 'l3']))
    expect([conflicts, await isThere('l1'), await isThere('l3')]).toEqual([2, true, true])
  })
})
