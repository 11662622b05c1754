// The effect of faults on calls to the table, and of crashes.
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  GetItemCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { OWNER_KEY } from '../../../infra/local/account.ts'
import { use } from '../use.ts'
import { ALWAYS, itemOf, nameOf, openFaultWorld } from './fault-world.ts'
import { createFaultInjector } from './faults.ts'
import { createItemLocks } from './item-locks.ts'

const world = use(openFaultWorld)

describe('the fault injector', () => {
  it('affects only calls of functions', async () => {
    const interceptor = createFaultInjector({ seed: 1, scale: ALWAYS })
    const { table } = await world.behind(interceptor, OWNER_KEY)
    await table.send(world.put('untouched'))
    expect(await world.exists('untouched')).toBe(true)
  })

  it('repeats the same faults with the same seed and injects others with another', async () => {
    const faultsWith = async (seed: number) => {
      const kinds: string[] = []
      const { table } = await world.behind(
        createFaultInjector({ seed, scale: 5, onFault: kind => kinds.push(kind) }),
      )
      for (let n = 0; n < 40; n++) await table.send(world.put('again')).catch(() => kinds.push(`at ${n}`))
      return kinds
    }
    const [first, second, other] = [await faultsWith(7), await faultsWith(7), await faultsWith(8)]
    expect(first.length).toBeGreaterThan(3)
    expect(second).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

describe('a call to the table', () => {
  it.each([
    ['conflict', 'TransactionConflictException'],
    ['throttled', 'ProvisionedThroughputExceededException'],
    ['failed', 'InternalServerError'],
  ] as const)('under the fault %s returns %s and writes nothing', async (kind, name) => {
    const { table } = await world.withKind(kind)
    expect(await table.send(world.put(kind)).catch(nameOf)).toBe(name)
    expect(await world.exists(kind)).toBe(false)
  })

  it('under the fault conflict cancels a transaction with a reason for one item', async () => {
    const { table } = await world.withKind('conflict')
    const error: unknown = await table.send(world.puts(['one', 'two', 'three'])).catch(error => error)
    const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : []
    expect(reasons?.map(({ Code }) => Code).sort()).toEqual(['None', 'None', 'TransactionConflict'])
    expect(await world.exists('one')).toBe(false)
  })

  it('under the fault lost performs the write but closes the connection without an answer', async () => {
    const { table } = await world.withKind('lost')
    expect(await table.send(world.put('lost')).catch(({ code }) => code)).toBe('ECONNRESET')
    expect(await world.exists('lost')).toBe(true)
  })

  it('under the fault partly leaves the second half of a batch of reads or writes unprocessed', async () => {
    const { table } = await world.withKind('partly')
    await world.dynamodb.send(world.puts(['p1', 'p2', 'p3']))
    const Keys = ['p1', 'p2', 'p3'].map(itemOf)
    const read = await table.send(new BatchGetItemCommand({ RequestItems: { [world.TableName]: { Keys } } }))
    expect(read.Responses?.[world.TableName]).toHaveLength(1)
    expect(read.UnprocessedKeys?.[world.TableName]?.Keys).toHaveLength(2)
    const RequestItems = { [world.TableName]: Keys.slice(0, 2).map(Key => ({ DeleteRequest: { Key } })) }
    const removed = await table.send(new BatchWriteItemCommand({ RequestItems }))
    expect(removed.UnprocessedItems?.[world.TableName]).toHaveLength(1)
    expect([await world.exists('p1'), await world.exists('p2')]).toEqual([false, true])
  })
})

describe('a function', () => {
  it.each([
    ['crashBefore', false],
    ['crashAfter', true],
  ] as const)(
    'ends when it makes a call under the fault %s, whose write is performed: %s',
    async (kind, isDone) => {
      const { table, crashed } = await world.withKind(kind)
      await expect(table.send(world.put(kind))).rejects.toThrow()
      expect(crashed).toEqual(['function'])
      expect(await world.exists(kind)).toBe(isDone)
    },
  )
})

describe('an item in a running transaction', () => {
  it('rejects other writes, but no reads', async () => {
    let conflicts = 0
    const { table } = await world.behind(createItemLocks({ onConflict: () => conflicts++ }))
    const transaction = table.send(world.puts(['l1', 'l2']))
    const others = [
      table.send(world.puts(['l2', 'l3'])).catch(nameOf),
      table.send(world.put('l1')).catch(nameOf),
    ]
    const reading = table.send(new GetItemCommand({ TableName: world.TableName, Key: itemOf('l1') }))
    expect(await Promise.all(others)).toEqual([
      'TransactionCanceledException',
      'TransactionConflictException',
    ])
    // The read sees the state before or after the transaction, without waiting.
    expect((await reading).$metadata.httpStatusCode).toBe(200)
    await transaction
    await table.send(world.puts(['l2', 'l3']))
    expect([conflicts, await world.exists('l1'), await world.exists('l3')]).toEqual([2, true, true])
  })
})
