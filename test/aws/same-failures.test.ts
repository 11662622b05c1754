// A direct call fails as a call of the SDK does: with the same error, after the same number of attempts.
import { setTimeout as pause } from 'node:timers/promises'
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { isBusy } from '../../shared/table/retrying.ts'
import { use } from '../world/use.ts'
import { isOfSdk, openBothClients, type Played, TableName } from './both-clients.ts'

const clients = use(openBothClients)

function failure(status: number, type: string, more: object = {}): Played {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`
  return { status, body: JSON.stringify({ __type, message: `${type} of this test`, ...more }) }
}

const FAILURES: Record<string, Played> = {
  'a failed condition': failure(400, 'ConditionalCheckFailedException', {
    Item: { pk: { S: 'a' }, n: { N: '1' }, list: { L: [{ BOOL: true }] } },
  }),
  'a cancelled transaction': failure(400, 'TransactionCanceledException', {
    CancellationReasons: [
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Message: 'failed', Item: { pk: { S: 'a' } } },
      { Code: 'TransactionConflict' },
    ],
  }),
  'a conflict': failure(400, 'TransactionConflictException'),
  'a repeated token': failure(400, 'IdempotentParameterMismatchException'),
  throttling: failure(400, 'ProvisionedThroughputExceededException'),
  'another throttling': failure(400, 'ThrottlingException', { throttlingReasons: [] }),
  'an invalid request': failure(400, 'ValidationException'),
  'a missing permission': failure(400, 'AccessDeniedException'),
  'an unknown error': failure(400, 'SomethingNewException', { More: 1 }),
  'an error in a header': { status: 400, headers: { 'x-amzn-errortype': 'ResourceNotFoundException:' } },
  'an internal error': failure(500, 'InternalServerError'),
  'an unavailable service': { status: 503, body: '<html>Service Unavailable</html>' },
  'an empty failure': { status: 502, body: '' },
  'a redirection': { status: 307, headers: { location: 'https://elsewhere.example/' } },
  'an answer that is no JSON': { status: 200, body: '{"Item":' },
  'an answer of HTML': { status: 200, body: '<html></html>' },
  'an unknown attribute': { status: 200, body: '{"Item":{"a":{"X":"1"}}}' },
  'an answer without a list': { status: 200, body: '{"Item":[]}' },
  'an answer that breaks off': {
    status: 200,
    body: `{"Item":{"a":{"S":"${'x'.repeat(100_000)}"}}}`,
    breaks: true,
  },
  'a failure that breaks off': { status: 500, body: '{"__type":"InternalServerError"}', breaks: true },
  'a closed connection': 'closes',
}

/** What callers can know of an error. */
function described(error: unknown) {
  if (!(error instanceof Error)) return { value: error }
  const {
    message,
    name,
    stack: _,
    ...members
  } = Object.fromEntries(
    Object.getOwnPropertyNames(error).map(member => [member, Reflect.get(error, member)]),
  )
  const { $response, ...own } = members
  const { statusCode } = Object($response)
  return { kind: error.constructor.name, name: error.name, message, statusCode, ...own }
}

async function outcomeOf(send: () => Promise<unknown>) {
  const outcome = await send().then(value => ({ value }), described)
  return { ...outcome, requests: clients.requests.map(({ operation }) => operation) }
}

describe.each([
  ['a read', () => new GetCommand({ TableName, Key: { pk: 'a' } })],
  ['a write', () => new PutCommand({ TableName, Item: { pk: 'a' } })],
  ['a transaction', () => new TransactWriteCommand({ TransactItems: [], ClientRequestToken: 'a' })],
])('%s of the table', (_, make: () => object) => {
  const send = (client: ReturnType<typeof clients.openStock>) => () => client.send(make() as GetCommand)

  it.each(Object.entries(FAILURES))('fails as with the SDK after %s', async (_name, played) => {
    const stock = clients.openStock()
    const direct = await clients.openDirect()
    clients.play(played)
    const expected = await outcomeOf(send(stock))
    clients.play(played)
    expect(await outcomeOf(send(direct))).toEqual(expected)
    expect(clients.requests.filter(isOfSdk)).toEqual([])
    expect(expected.requests).toHaveLength(1)
    clients.play({})
    expect((await outcomeOf(send(direct))).requests).toHaveLength(1)
    expect(clients.requests.filter(isOfSdk)).toEqual([])
  })
})

describe('a direct call of the table', () => {
  it('throws the classes of the SDK, with the item and the reasons', async () => {
    const direct = await clients.openDirect()
    const send = () => direct.send(new PutCommand({ TableName, Item: { pk: 'a' } })).catch(error => error)
    clients.play(FAILURES['a failed condition'] ?? {})
    const failed = await send()
    expect(failed).toBeInstanceOf(ConditionalCheckFailedException)
    expect(failed.Item).toEqual({ pk: { S: 'a' }, n: { N: '1' }, list: { L: [{ BOOL: true }] } })
    clients.play(FAILURES['a cancelled transaction'] ?? {})
    const cancelled = await send()
    expect(cancelled).toBeInstanceOf(TransactionCanceledException)
    expect(cancelled.CancellationReasons.map(({ Code }: { Code: string }) => Code)).toEqual([
      'None',
      'ConditionalCheckFailed',
      'TransactionConflict',
    ])
  })

  it.each([
    [{}, 3_000],
    [{ requestTimeout: 150 }, 150],
  ])('times out as with the SDK, with %o', async (options, ms) => {
    const stock = clients.openStock()
    const direct = await clients.openDirect()
    clients.play('hangs')
    const command = () => new GetCommand({ TableName, Key: { pk: 'a' } })
    const expected = await outcomeOf(() => stock.send(command(), options))
    clients.play('hangs')
    const startedMs = performance.now()
    const error = await direct.send(command(), options).catch(error => error)
    expect(performance.now() - startedMs).toBeGreaterThan(ms - 50)
    expect({ ...described(error), requests: ['GetItem'] }).toEqual(expected)
    expect([isBusy(error), clients.requests.filter(isOfSdk)]).toEqual([true, []])
  })

  it('fails as with the SDK when no server listens', async () => {
    const stock = clients.openStock()
    const direct = await clients.openDirect()
    for (const client of [stock, direct]) {
      const { requestHandler } = client.config
      const { handle } = requestHandler
      // A closed port of this machine.
      requestHandler.handle = (request, options) =>
        handle.call(requestHandler, { ...request, port: 9 }, options)
    }
    const command = () => new GetCommand({ TableName, Key: { pk: 'a' } })
    const expected = await outcomeOf(() => stock.send(command()))
    expect(expected).toMatchObject({ code: 'ECONNREFUSED' })
    expect(await outcomeOf(() => direct.send(command()))).toEqual(expected)
  })

  it('is sent again as often as its caller wants, with the same command', async () => {
    const direct = await clients.openDirect()
    const command = new GetCommand({ TableName, Key: { pk: 'a' } })
    clients.play(failure(500, 'InternalServerError'), 'closes', { body: '{"Item":{"n":{"N":"1"}}}' })
    await expect(direct.send(command)).rejects.toMatchObject({ name: 'InternalServerError' })
    await expect(direct.send(command)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await direct.send(command)).toMatchObject({ Item: { n: 1 } })
    expect(clients.requests.filter(isOfSdk)).toEqual([])
  })
})

describe('a direct call of a queue', () => {
  const command = () =>
    new SendMessageBatchCommand({ QueueUrl: clients.QueueUrl, Entries: [{ Id: '0', MessageBody: 'a' }] })
  const sqsFailure = (status: number, type: string, headers = {}): Played => ({
    status,
    headers,
    body: JSON.stringify({ __type: `com.amazonaws.sqs#${type}`, message: 'of this test' }),
  })

  it.each<[string, Played[]]>([
    ['one failure', [sqsFailure(500, 'InternalFailure'), {}]],
    ['two failures', [sqsFailure(503, 'ServiceUnavailable'), 'closes', {}]],
    ['a throttling', [sqsFailure(400, 'ThrottlingException'), {}]],
    ['an answer that breaks off', [{ body: '{"Successful":[]}', breaks: true }, {}]],
    ['three failures', [sqsFailure(500, 'InternalFailure')]],
    ['closed connections', ['closes']],
    [
      'a missing queue',
      [
        sqsFailure(400, 'QueueDoesNotExist', {
          'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
        }),
      ],
    ],
    ['an invalid request', [sqsFailure(400, 'InvalidAttributeValue')]],
    ['a wrong checksum', [{ body: '{"Successful":[{"Id":"0","MD5OfMessageBody":"wrong"}]}' }]],
  ])('is retried, and fails at the end, as with the SDK after %s', async (_name, played) => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    clients.play(...played)
    const expected = await outcomeOf(() => stock.send(command()))
    clients.play(...played)
    const outcome = await outcomeOf(() => direct.send(command()))
    // The pauses between attempts are random.
    expect(withoutDelays(outcome)).toEqual(withoutDelays(expected))
    expect(clients.requests.map(isOfSdk)).toEqual(expected.requests.map((_request, n) => n > 0))
  })

  it('is aborted by a signal as with the SDK, and not repeated', async () => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    const send = (client: typeof stock) => client.send(command(), { abortSignal: AbortSignal.timeout(100) })
    clients.play('hangs')
    const expected = await outcomeOf(() => send(stock))
    expect(expected).toMatchObject({ name: 'AbortError' })
    clients.play('hangs')
    expect(await outcomeOf(() => send(direct))).toEqual(expected)
    await pause(300)
    expect(clients.requests).toHaveLength(1)
  })

  it('refills the quota of retries as with the SDK', async () => {
    const stock = clients.openStockQueues()
    const direct = await clients.openDirectQueues()
    const capacities = []
    for (const client of [stock, direct]) {
      clients.play(sqsFailure(500, 'InternalFailure'))
      await client.send(command()).catch(() => undefined)
      clients.play({})
      for (let n = 0; n < 3; n++) await client.send(command())
      capacities.push(Reflect.get(await client.config.retryStrategy(), 'capacity'))
    }
    expect(capacities[1]).toBe(capacities[0])
    expect(capacities[0]).toBeLessThan(500)
  })
})

function withoutDelays(outcome: object) {
  return JSON.parse(
    JSON.stringify(outcome, (name, value) => (name === 'totalRetryDelay' ? value > 0 : value)),
  )
}
