// A direct call returns what the SDK returns, for any answer.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs'
import {
  BatchGetCommand,
  BatchWriteCommand,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { use } from '../world/use.ts'
import { storedItem } from './arbitrary-items.ts'
import { isOfSdk, openBothClients, type Played, TableName } from './both-clients.ts'

const clients = use(openBothClients)

const RequestItems = { [TableName]: [] }
const Key = { pk: 'a', sk: 'b' }
const items = fc.array(storedItem, { maxLength: 4 })
const capacity = fc.constantFrom(undefined, { TableName, CapacityUnits: 1.5 })
function missing<T>(value: fc.Arbitrary<T>) {
  return fc.oneof(value, fc.constantFrom(undefined, null))
}

const TABLE_ANSWERS: Record<string, [() => object, fc.Arbitrary<object>]> = {
  GetItem: [
    () => new GetCommand({ TableName, Key }),
    fc.record({ Item: missing(storedItem), ConsumedCapacity: capacity }),
  ],
  UpdateItem: [
    () => new UpdateCommand({ TableName, Key, UpdateExpression: '' }),
    fc.record({ Attributes: missing(storedItem), ConsumedCapacity: capacity }),
  ],
  Query: [
    () => new QueryCommand({ TableName }),
    fc.record({
      Items: items,
      Count: fc.nat(),
      ScannedCount: fc.nat(),
      LastEvaluatedKey: missing(storedItem),
      ConsumedCapacity: capacity,
    }),
  ],
  BatchGetItem: [
    () => new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }),
    fc.record({
      Responses: items.map(found => ({ [TableName]: found })),
      UnprocessedKeys: missing(items.map(Keys => ({ [TableName]: { Keys, ConsistentRead: true } }))),
    }),
  ],
  BatchWriteItem: [
    () => new BatchWriteCommand({ RequestItems }),
    fc.record({
      UnprocessedItems: missing(
        items.map(left => ({
          [TableName]: left.map((Item, n) =>
            n % 2 ? { PutRequest: { Item } } : { DeleteRequest: { Key: Item } },
          ),
        })),
      ),
    }),
  ],
  TransactWriteItems: [
    () => new TransactWriteCommand({ TransactItems: [], ClientRequestToken: 'a token' }),
    fc.record({
      ConsumedCapacity: missing(fc.constant([{ TableName, CapacityUnits: 3 }])),
      ItemCollectionMetrics: missing(
        storedItem.map(ItemCollectionKey => ({ [TableName]: [{ ItemCollectionKey }] })),
      ),
    }),
  ],
}

/** Returns how many of the answers were read directly. */
async function compareAll(
  answers: fc.Arbitrary<Played>,
  bySdk: () => Promise<unknown>,
  byUs: () => Promise<unknown>,
): Promise<number> {
  let direct = 0
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.catch((error: Error) => `${error.name} ${error.message}`)
  await fc.assert(
    fc.asyncProperty(answers, async played => {
      clients.play(played)
      const expected = await outcomeOf(bySdk())
      clients.play(played)
      const outcome = await outcomeOf(byUs())
      // Not `toStrictEqual`, which is confused by a member with the name `constructor`.
      if (!isDeepStrictEqual(outcome, expected)) expect(outcome).toEqual(expected)
      expect(clients.requests).toHaveLength(1)
      if (clients.requests[0] && !isOfSdk(clients.requests[0])) direct++
    }),
    { numRuns: 60 },
  )
  return direct
}

describe('the answer to a call of the table', () => {
  it.each(Object.entries(TABLE_ANSWERS))('%s is that of the SDK', async (_, [make, answers]) => {
    const stock = clients.openStock()
    const direct = await clients.openDirect()
    const played = fc.oneof(
      { weight: 10, arbitrary: answers.map(answer => ({ body: JSON.stringify(answer) })) },
      { weight: 1, arbitrary: fc.constant<Played>({ body: '' }) },
    )
    const count = await compareAll(
      played,
      () => stock.send(make() as GetCommand),
      () => direct.send(make() as GetCommand),
    )
    expect(count).toBe(60)
  })

  it('is that of the SDK if an attribute is named __proto__', async () => {
    const [stock, direct] = [clients.openStock(), await clients.openDirect()]
    clients.play({ body: '{"Item":{"a":{"M":{"__proto__":{"M":{"b":{"S":"c"}}},"d":{"S":"e"}}}}}' })
    const get = () => new GetCommand({ TableName, Key })
    expect(await direct.send(get())).toEqual(await stock.send(get()))
  })
})

describe('the answer to a call of a queue', () => {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex')
  const sum = (body: string) => fc.constantFrom(md5(body), md5(body), md5(body), 'wrong', undefined)
  const id = fc.constantFrom('0', '1', '2')
  const failed = fc.array(
    fc.record({ Id: id, Code: fc.string(), Message: fc.string(), SenderFault: fc.boolean() }),
    { maxLength: 2 },
  )
  const done = fc.record({ Successful: fc.array(fc.record({ Id: id })), Failed: missing(failed) })
  const bodies = ['', 'a message', '{"ü":"🚀"}']
  const Entries = bodies.map((MessageBody, n) => ({ Id: String(n), MessageBody }))
  const receipt = { Id: '0', ReceiptHandle: 'a receipt' }
  const accepted = id.chain(Id =>
    fc.record({
      Id: fc.constant(Id),
      MessageId: fc.string(),
      MD5OfMessageBody: sum(bodies[Number(Id)] ?? ''),
      SequenceNumber: fc.string(),
    }),
  )
  const received = fc.constantFrom(...bodies).chain(Body =>
    fc.record({
      MessageId: fc.string(),
      ReceiptHandle: fc.string(),
      Body: fc.constant(Body),
      MD5OfBody: sum(Body),
      Attributes: missing(fc.constant({ ApproximateReceiveCount: '3' })),
      MessageAttributes: fc.constantFrom(undefined, undefined, {
        a: { DataType: 'Binary', BinaryValue: 'AAE=' },
      }),
    }),
  )
  const QUEUE_ANSWERS: Record<string, [(QueueUrl: string) => object, fc.Arbitrary<object>]> = {
    SendMessageBatch: [
      QueueUrl => new SendMessageBatchCommand({ QueueUrl, Entries }),
      fc.record({ Successful: missing(fc.array(accepted, { maxLength: 3 })), Failed: missing(failed) }),
    ],
    ReceiveMessage: [
      QueueUrl => new ReceiveMessageCommand({ QueueUrl }),
      fc.record({ Messages: missing(fc.array(received, { maxLength: 3 })) }),
    ],
    DeleteMessage: [QueueUrl => new DeleteMessageCommand({ QueueUrl, ReceiptHandle: '' }), fc.constant({})],
    DeleteMessageBatch: [QueueUrl => new DeleteMessageBatchCommand({ QueueUrl, Entries: [receipt] }), done],
    ChangeMessageVisibilityBatch: [
      QueueUrl =>
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl,
          Entries: [{ ...receipt, VisibilityTimeout: 1 }],
        }),
      done,
    ],
  }

  it.each(Object.entries(QUEUE_ANSWERS))('%s is that of the SDK', async (_, [make, answers]) => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    const { QueueUrl } = clients
    const count = await compareAll(
      answers.map(answer => ({ body: JSON.stringify(answer) })),
      () => stock.send(make(QueueUrl) as DeleteMessageCommand),
      () => direct.send(make(QueueUrl) as DeleteMessageCommand),
    )
    expect(count).toBe(60)
  })
})
