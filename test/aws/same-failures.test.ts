// A direct call of the table fails as a call of the SDK does: with the same error, after one attempt.
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { isBusy } from '../../shared/table/retrying.ts'
import { use } from '../world/use.ts'
import { isOfSdk, openBothClients, TableName } from './both-clients.ts'
import { FAILURES, failure } from './failures.ts'
import { described, outcomeOf } from './outcomes.ts'

const clients = use(openBothClients)

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
    const expected = await outcomeOf(clients.requests, send(stock))
    clients.play(played)
    expect(await outcomeOf(clients.requests, send(direct))).toEqual(expected)
    expect(clients.requests.filter(isOfSdk)).toEqual([])
    expect(expected.requests).toHaveLength(1)
    clients.play({})
    expect((await outcomeOf(clients.requests, send(direct))).requests).toHaveLength(1)
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
    const command = () => new GetCommand({ TableName, Key: { pk: 'a' } })
    clients.play('hangs')
    const startedMs = performance.now()
    const errorOf = async (client: typeof stock) => {
      const error = await client.send(command(), options).catch(error => error)
      return { error, tookMs: performance.now() - startedMs }
    }
    const [bySdk, directly] = await Promise.all([errorOf(stock), errorOf(direct)])
    expect(directly.tookMs).toBeGreaterThan(ms - 50)
    expect(described(directly.error)).toEqual(described(bySdk.error))
    expect(isBusy(directly.error)).toBe(true)
    expect(clients.requests.map(isOfSdk).toSorted()).toEqual([false, true])
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
    const expected = await outcomeOf(clients.requests, () => stock.send(command()))
    expect(expected).toMatchObject({ code: 'ECONNREFUSED' })
    expect(await outcomeOf(clients.requests, () => direct.send(command()))).toEqual(expected)
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
