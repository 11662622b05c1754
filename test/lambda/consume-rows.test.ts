// Consumers delete the outbox rows of the messages that they receive, whether those succeed or fail.
import { describe, expect, it } from 'vitest'
import type { Message } from '../../shared/events/message.ts'
import { bodyWithRow } from '../../shared/events/message-row.ts'
import { type OutboxRow, outboxRow, putRow } from '../../shared/events/outbox.ts'
import { consume } from '../../shared/lambda/consume.ts'
import { consumeBatch } from '../../shared/lambda/consume-batch.ts'
import { consumeContinuously } from '../../shared/lambda/consume-continuously.ts'
import type { Runtime } from '../../shared/runtime/runtime.ts'
import { indexMessage } from '../../shared/search/document.ts'
import type { Key } from '../../shared/table/key.ts'
import { batchOf, type Consumer } from '../world/queue.ts'
import { use } from '../world/use.ts'
import { openIndexQueue } from './index-queue.ts'

const queue = use(openIndexQueue)
const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
/** The handlers of this test fail for it. */
const BAD_POST = 13

type Opened = { consumer: Consumer; removed: Key[][]; logged: string[] }
type Open = (openRuntime: () => Runtime) => Consumer

const CONSUMERS: Record<string, Open> = {
  consume: openRuntime => consume('index', handleOne, openRuntime),
  consumeContinuously: openRuntime => consumeContinuously('index', handleOne, openRuntime),
  consumeBatch: openRuntime =>
    consumeBatch('index', async all => all.map(({ post_id }) => problemOf(post_id)), openRuntime),
}

function problemOf(postId: number): Error | undefined {
  return postId === BAD_POST ? new Error('No.') : undefined
}

async function handleOne({ post_id }: { post_id: number }): Promise<void> {
  const problem = problemOf(post_id)
  if (problem) throw problem
}

/** Notes the keys of each call that deletes rows, and what is logged. `fails`: no row can be deleted. */
function openConsumer(open: Open, fails = false): Opened {
  const [removed, logged]: [Key[][], string[]] = [[], []]
  const { table, ...runtime } = queue.openRuntime()
  const removeMany: typeof table.removeMany = async (keys, timeoutMs) => {
    removed.push(keys)
    if (fails) throw new Error('The table is throttled.')
    await table.removeMany(keys, timeoutMs)
  }
  const consumer = open(() => ({
    ...runtime,
    table: { ...table, removeMany },
    log: (_, message) => void logged.push(message),
  }))
  return { consumer, removed, logged }
}

async function putRows(postIds: number[]): Promise<{ rows: OutboxRow[]; messages: Message[] }> {
  // Each in a group of its own, so that one receive returns all.
  const messageOf = (id: number) => ({ ...indexMessage(id), group: String(id) })
  const rows = postIds.map(id => outboxRow(messageOf(id), NOW_MS))
  await queue.openRuntime().table.transact(rows.map(putRow))
  const messages = rows.map(({ pk, sk }, n) => ({ ...messageOf(postIds[n] ?? 0), row: { pk, sk } }))
  return { rows, messages }
}

function keysOf(rows: Key[]): string[] {
  return rows.map(({ pk, sk }) => `${pk} ${sk}`).toSorted()
}

function left(rows: OutboxRow[]) {
  return queue.openRuntime().table.findMany(rows.map(({ pk, sk }) => ({ pk, sk })))
}

describe.each(Object.entries(CONSUMERS))('%s', (_, open) => {
  it('deletes the rows of its batch in one call, of failed messages too: the queue keeps those', async () => {
    const { consumer, removed } = openConsumer(open)
    const { rows, messages } = await putRows([1, BAD_POST, 2])
    const { batchItemFailures } = await consumer(batchOf(...messages.map(bodyWithRow)))
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-1' }])
    expect(removed.map(keysOf)).toEqual([keysOf(rows)])
    expect(await left(rows)).toEqual([])
  })

  it('deletes the row of a message that it cannot read', async () => {
    const { consumer } = openConsumer(open)
    const { rows } = await putRows([1])
    const [{ pk, sk } = { pk: '', sk: '' }] = rows
    const body = { post_id: 'of tomorrow', outbox_row: { pk, sk } }
    expect((await consumer(batchOf(body))).batchItemFailures).toHaveLength(1)
    expect(await left(rows)).toEqual([])
  })

  it('succeeds although the rows cannot be deleted, and does not try again', async () => {
    const { consumer, removed, logged } = openConsumer(open, true)
    const { rows, messages } = await putRows([1, 2])
    expect(await consumer(batchOf(...messages.map(bodyWithRow)))).toEqual({ batchItemFailures: [] })
    expect(removed).toHaveLength(1)
    expect(logged).toContain('outbox rows could not be deleted')
    expect(await left(rows)).toHaveLength(2)
  })

  it('names a row once although its message came twice, which a batch of writes requires', async () => {
    const { consumer, removed } = openConsumer(open)
    const { rows, messages } = await putRows([1])
    await consumer(batchOf(...[...messages, ...messages].map(bodyWithRow)))
    expect(removed.map(keysOf)).toEqual([keysOf(rows)])
  })

  it.each<[string, unknown]>([
    ['no row', undefined],
    ['an item that is no outbox row', { pk: 'POST#1', sk: 'POST' }],
    ['a row of another shape', 'OUTBOX#1'],
  ])('handles a message that names %s, and deletes nothing', async (_, outbox_row) => {
    const { consumer, removed } = openConsumer(open)
    expect(await consumer(batchOf({ post_id: 1, outbox_row }))).toEqual({ batchItemFailures: [] })
    expect(removed).toEqual([])
  })
})

describe('consumeBatch', () => {
  it('deletes the rows of the messages that it received by itself together with those of its batch', async () => {
    const { consumer, removed } = openConsumer(CONSUMERS.consumeBatch ?? failToOpen)
    const { rows, messages } = await putRows([1, 2, 3])
    await queue.openRuntime().sender.send(messages.slice(1))
    await consumer(batchOf(...messages.slice(0, 1).map(bodyWithRow)))
    expect(removed.map(keysOf)).toEqual([keysOf(rows)])
    expect(await left(rows)).toEqual([])
  })
})

describe('consumeContinuously', () => {
  it('deletes the rows of messages that it receives while others are slow', async () => {
    const slow = Promise.withResolvers<void>()
    const handle = ({ post_id }: { post_id: number }) => {
      if (post_id === 2) slow.resolve()
      return slow.promise
    }
    const { consumer, removed } = openConsumer(openRuntime =>
      consumeContinuously('index', handle, openRuntime),
    )
    const { rows, messages } = await putRows([1, 2])
    await queue.openRuntime().sender.send(messages.slice(1))
    expect(await consumer(batchOf(...messages.slice(0, 1).map(bodyWithRow)))).toEqual({
      batchItemFailures: [],
    })
    expect(keysOf(removed.flat())).toEqual(keysOf(rows))
    expect(await left(rows)).toEqual([])
  })
})

function failToOpen(): Consumer {
  throw new Error('There is no such consumer.')
}
