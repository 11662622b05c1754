// Retries on a busy or silent table, that a retried write is applied once, and reads between changes.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod/mini'
import { ConditionFailed } from '../../shared/table/action.ts'
import { connect, openTable, type Table } from '../../shared/table/client.ts'
import { isBusy, ReadConflict, readConsistently, withDeadline, within } from '../../shared/table/retrying.ts'
import { openIntercepted } from '../support/faults/call-proxy.ts'
import { createFaultInjector, FAULT_KINDS, type FaultName } from '../support/faults/faults.ts'
import { useTable } from '../support/new-table.ts'

const Counter = z.object({ n: z.int() })
const anything = z.looseObject({})

const world = useTable()
afterEach(() => vi.restoreAllMocks())

let count = 0
let key = { pk: '', sk: 'x' }
beforeEach(() => {
  key = { pk: `item ${++count}`, sk: 'x' }
})

/** A table with a fault that hits the given number of calls, and the number of calls it hit. */
async function hitBy(kind: FaultName, times: number): Promise<{ table: Table; hits: () => number }> {
  let hits = 0
  const always = createFaultInjector({
    seed: count,
    kinds: [kind],
    scale: 1_000 / FAULT_KINDS[kind].perMille,
    onFault: () => hits++,
  })
  const { client, stop } = await openIntercepted(world.endpoint, (call, next, crash) =>
    hits < times ? always(call, next, crash) : next(call),
  )
  onTestFinished(stop)
  return { table: openTable(client, world.tableName), hits: () => hits }
}

function oneMore() {
  const Update = { Key: key, UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': 1 } }
  return { Update }
}

function putNew() {
  return {
    onConditionFailed: 'there already',
    Put: { Item: { ...key, n: 1 }, ConditionExpression: 'attribute_not_exists(pk)' },
  }
}

async function counted() {
  return (await world.table.find(key, Counter))?.n
}

describe('a call to a busy table', () => {
  it.each(['conflict', 'throttled', 'failed', 'partly'] as const)(
    'completes a batch after %s',
    async kind => {
      const { table, hits } = await hitBy(kind, 2)
      const items = ['a', 'b', 'c'].map(sk => ({ ...key, sk }))
      await table.transact([{ Put: { Item: { ...key, n: 1 } } }])
      await table.putMany(items)
      expect(await table.findMany(items)).toHaveLength(3)
      await table.removeMany(items)
      expect(await table.query({ pk: key.pk }, anything)).toHaveLength(1)
      expect(await table.find(key, anything)).toBeDefined()
      expect(hits()).toBe(2)
    },
  )

  it('retries plain writes and transactions after conflicts until they succeed', async () => {
    const { table, hits } = await hitBy('conflict', 5)
    await table.write(oneMore())
    await table.transact([oneMore()])
    expect(await table.updateAndRead(oneMore().Update, Counter)).toEqual({ n: 3 })
    expect(hits()).toBe(5)
  })

  it('is not repeated after the deadline', async () => {
    const { table, hits } = await hitBy('throttled', Number.POSITIVE_INFINITY)
    // By this clock each attempt takes 40 ms.
    vi.spyOn(performance, 'now').mockImplementation(() => hits() * 40)
    const error = await withDeadline(() => table.find(key, anything), 100).catch(error => error)
    expect([isBusy(error), hits()]).toEqual([true, 3])
  })
})

describe('a call whose answer is lost', () => {
  it('is applied once as a transaction, even if two answers are lost', async () => {
    const { table } = await hitBy('lost', 2)
    await table.transact([oneMore()])
    expect(await counted()).toBe(1)
  })

  it('does not fail by its own condition as a transaction', async () => {
    const { table } = await hitBy('lost', 1)
    await table.transact([putNew()])
    expect(await counted()).toBe(1)
    await expect(table.transact([putNew()])).rejects.toThrow(ConditionFailed)
  })

  it('fails by its own condition as a plain write', async () => {
    const { table } = await hitBy('lost', 1)
    await expect(table.write(putNew())).rejects.toThrow('there already')
    expect(await counted()).toBe(1)
  })

  it('throws the lost answer if none arrives at all', async () => {
    const { table, hits } = await hitBy('lost', Number.POSITIVE_INFINITY)
    const error = await table.transact([oneMore()]).catch(error => error)
    expect([isBusy(error), hits(), await counted()]).toEqual([true, 3, 1])
  })
})

describe('a table that never answers', () => {
  const silentTable = async () => {
    let tries = 0
    const silent = createServer(() => void tries++).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const address = silent.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
    const client = connect({ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials })
    return { table: openTable(client, world.tableName), tries: () => tries }
  }

  it('fails each attempt after three seconds', async () => {
    const { table, tries } = await silentTable()
    const error = await withDeadline(() => table.find(key, anything), 0).catch(error => error)
    expect(isBusy(error)).toBe(true)
    expect(String(error)).toContain('exceeded the configured 3000 ms requestTimeout')
    expect(tries()).toBe(1)
  })

  it('delays an answer no longer than the step may take', async () => {
    const { table } = await silentTable()
    await expect(within(200, table.removeMany([key]))).rejects.toThrow('No answer within 200 ms')
  })
})

describe('readConsistently', () => {
  it('reads again until the items belong together', async () => {
    let attempts = 0
    const read = readConsistently('The list', {}, async () => (++attempts < 3 ? undefined : 'a page'))
    expect([await read, attempts]).toEqual(['a page', 3])
  })

  it('gives up after four attempts with an error that a later request may not meet', async () => {
    const attempt = vi.fn(async () => undefined)
    const error = await readConsistently('The list', {}, attempt).catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(ReadConflict)
    expect([isBusy(error), attempt.mock.calls.length]).toEqual([true, 4])
  })

  it('does not repeat an attempt that fails', async () => {
    const attempt = vi.fn(() => Promise.reject(new Error('No table answers.')))
    await expect(readConsistently('The list', {}, attempt)).rejects.toThrow('No table answers.')
    expect(attempt).toHaveBeenCalledOnce()
  })
})
