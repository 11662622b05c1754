// A direct call sends the request that the SDK sends, for any input.
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
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { use } from '../world/use.ts'
import { item, key } from './arbitrary-items.ts'
import { isOfSdk, openBothClients, type SentRequest, TableName } from './both-clients.ts'

const clients = use(openBothClients)

const names = fc.option(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), { nil: undefined })
const expression = {
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: fc.option(item, { nil: undefined }),
}
const condition = {
  ...expression,
  ConditionExpression: fc.option(fc.string(), { nil: undefined }),
  ReturnValuesOnConditionCheckFailure: fc.constantFrom(undefined, 'ALL_OLD' as const),
}
const table = { TableName: fc.constant(TableName) }
const putting = { ...table, ...condition, Item: item }
const updating = { ...table, ...condition, Key: key, UpdateExpression: fc.string() }
const deleting = { ...table, ...condition, Key: key }
const ClientRequestToken = fc.constant('a token of a transaction')

const TABLE_COMMANDS = {
  GetItem: fc
    .record({ ...table, Key: key, ConsistentRead: fc.boolean() })
    .map(input => () => new GetCommand(input)),
  PutItem: fc.record(putting).map(input => () => new PutCommand(input)),
  UpdateItem: fc
    .record({ ...updating, ReturnValues: fc.constantFrom(undefined, 'ALL_NEW' as const) })
    .map(input => () => new UpdateCommand(input)),
  DeleteItem: fc.record(deleting).map(input => () => new DeleteCommand(input)),
  Query: fc
    .record({
      ...table,
      ...expression,
      KeyConditionExpression: fc.string(),
      IndexName: fc.option(fc.string(), { nil: undefined }),
      Limit: fc.option(fc.nat(), { nil: undefined }),
      ScanIndexForward: fc.boolean(),
      ExclusiveStartKey: fc.option(key, { nil: undefined }),
    })
    .map(input => () => new QueryCommand(input)),
  BatchGetItem: fc
    .record({ Keys: fc.array(key), ConsistentRead: fc.boolean() })
    .map(keys => () => new BatchGetCommand({ RequestItems: { [TableName]: keys } })),
  BatchWriteItem: fc
    .array(
      fc.oneof(
        item.map(Item => ({ PutRequest: { Item } })),
        key.map(Key => ({ DeleteRequest: { Key } })),
      ),
    )
    .map(requests => () => new BatchWriteCommand({ RequestItems: { [TableName]: requests } })),
  TransactWriteItems: fc
    .record({
      ClientRequestToken,
      TransactItems: fc.array(
        fc.oneof(
          fc.record({ Put: fc.record(putting) }),
          fc.record({ Update: fc.record(updating) }),
          fc.record({ Delete: fc.record(deleting) }),
          fc.record({ ConditionCheck: fc.record({ ...deleting, ConditionExpression: fc.string() }) }),
        ),
      ),
    })
    .map(input => () => new TransactWriteCommand(input)),
}

/** The request of each sender, or its error. */
async function sentBy(...senders: (() => Promise<unknown>)[]) {
  const sent: { request?: SentRequest; error?: string }[] = []
  for (const send of senders) {
    clients.play({})
    const error = await send().then(
      () => undefined,
      (reason: Error) => `${reason.name} ${reason.message}`,
    )
    sent.push({ request: clients.requests[0], error })
  }
  return sent
}

/** Headers that tell the SDK's attempts apart, or differ with the length of the body and with the time. */
const OWN_HEADERS =
  /^(amz-sdk-.*|x-amz-user-agent|x-amz-content-sha256|x-amz-date|authorization|content-length|connection)$/
function constantHeaders({ headers }: SentRequest) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)))
}

/** Returns how many of the calls were direct. */
async function compareAll<T>(
  values: fc.Arbitrary<T>,
  bySdk: (value: T) => Promise<unknown>,
  byUs: (value: T) => Promise<unknown>,
): Promise<{ all: number; direct: number }> {
  const count = { all: 0, direct: 0 }
  await fc.assert(
    fc.asyncProperty(values, async value => {
      const [stock, direct] = await sentBy(
        () => bySdk(value),
        () => byUs(value),
      )
      expect(direct?.error).toBe(stock?.error)
      if (!stock?.request || !direct?.request) {
        expect(direct?.request).toBe(stock?.request)
        return
      }
      expect(isDeepStrictEqual(direct.request.body, stock.request.body)).toBe(true)
      expect(constantHeaders(direct.request)).toEqual(constantHeaders(stock.request))
      count.all++
      if (!isOfSdk(direct.request)) count.direct++
    }),
    { numRuns: 60 },
  )
  return count
}

describe('the request of a call of the table', () => {
  it.each(Object.entries(TABLE_COMMANDS))('%s has the body and headers of the SDK', async (_, commands) => {
    const stock = clients.openStock()
    const direct = await clients.openDirect()
    const count = await compareAll<() => object>(
      commands,
      make => stock.send(make() as GetCommand),
      make => direct.send(make() as GetCommand),
    )
    expect(count.direct).toBeGreaterThan(count.all / 2)
  })
})

describe('the request of a call of a queue', () => {
  const text = fc.string({ unit: 'binary' })
  const Id = fc.nat().map(String)
  const entries = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.array(fc.record({ Id, ReceiptHandle: text, ...members }))
  const QUEUE_COMMANDS = {
    SendMessageBatch: fc
      .array(
        fc.record({
          Id,
          MessageBody: text,
          DelaySeconds: fc.option(fc.nat(), { nil: undefined }),
          MessageGroupId: fc.option(text, { nil: undefined }),
          MessageDeduplicationId: fc.option(text, { nil: undefined }),
        }),
      )
      .map(Entries => (QueueUrl: string) => new SendMessageBatchCommand({ QueueUrl, Entries })),
    ReceiveMessage: fc
      .record({ MaxNumberOfMessages: fc.nat(), WaitTimeSeconds: fc.nat(), VisibilityTimeout: fc.nat() })
      .map(input => (QueueUrl: string) => new ReceiveMessageCommand({ QueueUrl, ...input })),
    DeleteMessage: text.map(
      ReceiptHandle => (QueueUrl: string) => new DeleteMessageCommand({ QueueUrl, ReceiptHandle }),
    ),
    DeleteMessageBatch: entries({}).map(
      Entries => (QueueUrl: string) => new DeleteMessageBatchCommand({ QueueUrl, Entries }),
    ),
    ChangeMessageVisibilityBatch: entries({ VisibilityTimeout: fc.nat() }).map(
      Entries => (QueueUrl: string) => new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
    ),
  }

  it.each(Object.entries(QUEUE_COMMANDS))('%s has the body and headers of the SDK', async (_, commands) => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    const { QueueUrl } = clients
    const count = await compareAll<(url: string) => object>(
      commands,
      make => stock.send(make(QueueUrl) as DeleteMessageCommand),
      make => direct.send(make(QueueUrl) as DeleteMessageCommand),
    )
    expect(count.direct).toBe(count.all)
  })
})
