// A reindex beside runs of the index that have begun before it, step by step, and one that stands still.
import { setTimeout as pause } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../../infra/local/account.ts'
import { TABLE_OUTPUT } from '../../infra/names.ts'
import type { Context } from '../../infra/operator/command.ts'
import { reindex } from '../../infra/operator/reindex/reindex.ts'
import { targetOf } from '../../infra/operator/target.ts'
import { startWork } from '../../shared/lambda/work.ts'
import { deletePost } from '../../shared/posts/change.ts'
import { createPost } from '../../shared/posts/create.ts'
import { findDoc } from '../../shared/search/doc-store.ts'
import { findPosts } from '../../shared/search/find.ts'
import { indexPosts } from '../../shared/search/index-posts.ts'
import { openTable } from '../../shared/table/client.ts'
import { docKey } from '../../shared/table/design.ts'
import { startTable, type TableWorld } from '../world/table.ts'

let world: TableWorld
beforeAll(async () => {
  world = await startTable()
})
afterAll(() => world.stop())
afterEach(() => vi.restoreAllMocks())

const work = () =>
  startWork({
    table: world.table,
    sender: { send: async messages => messages.map(() => ({ ok: true })) },
    nowMs: Date.now(),
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    log: String,
  })
const livePost = async (title: string): Promise<number> =>
  (await createPost(work(), { title, is_published: true, posted_at: 1_700_000_000 }, 1)).data.id
const remove = (id: number) => deletePost(work(), id, () => undefined)
const index = (...ids: number[]) => indexPosts(world.table, ids, Date.now())

/** A client on the same table; before its nth call of a name, of those about one key, something happens. */
const interrupted = (name: string, nth: number, happens: () => Promise<unknown>, pk = '') => {
  let calls = 0
  const plain = new DynamoDBClient(clientOf(world.endpoint))
  const client = DynamoDBDocumentClient.from(plain, { marshallOptions: { removeUndefinedValues: true } })
  client.middlewareStack.add(
    (next, context) => async args => {
      const isOne = context.commandName === name && JSON.stringify(args.input).includes(pk)
      if (isOne && ++calls === nth) await happens()
      return next(args)
    },
    { step: 'initialize' },
  )
  return client
}

const contextOn = (client: DynamoDBDocumentClient): Context => ({
  target: {
    ...targetOf({
      dynamodb: new DynamoDBClient(clientOf(world.endpoint)),
      sqs: new SQSClient(clientOf('http://127.0.0.1:9')),
      outputs: { [TABLE_OUTPUT]: world.tableName },
      ownUrl: 'https://service.example',
      says: 'the table of a test',
      close: async () => undefined,
    }),
    documents: client,
    table: openTable(client, world.tableName),
  },
  nowMs: Date.now(),
  nowSeconds: Math.floor(Date.now() / 1000),
  progress: { say: () => undefined, clear: () => undefined },
  readStdin: async () => '',
})

const SCAN = 'ScanCommand'
const TRANSACT = 'TransactWriteItemsCommand'

/** A run that stops before its nth transaction until it is let go. */
const startRun = async (ids: number[], nth: number) => {
  const stopped = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const client = interrupted(TRANSACT, nth, () => {
    stopped.resolve()
    return go.promise
  })
  const ended = indexPosts(openTable(client, world.tableName), ids, Date.now())
  await stopped.promise
  return {
    end: () => {
      go.resolve()
      return ended
    },
  }
}

const idsFor = async (word: string) =>
  (await findPosts(world.table, { words: [word], kinds: 'all', skip: 0, take: 50 })).ids

describe('a reindex', () => {
  it('waits for a run that has begun to write, which else would write over it', async () => {
    const others = [await livePost('Wallaby'), await livePost('Wallaby')]
    await index(...others)
    const late = await livePost('Wallaby')
    const run = await startRun([late], 2)
    await remove(late)
    // At the latest when all terms are written: that is when a run that nobody waited for did its harm.
    const secondScan = interrupted(SCAN, 2, run.end)
    await Promise.all([reindex(contextOn(secondScan)), pause(300).then(run.end)])
    await index(late)
    expect(await idsFor('wallaby')).toEqual(others.toReversed())
  })

  it('goes on where a run notes a post between its look and its own note', async () => {
    const id = await livePost('Bettong')
    const run = await startRun([id], 1)
    const client = interrupted(TRANSACT, 1, run.end, docKey(id).pk)
    await reindex(contextOn(client))
    expect(await idsFor('bettong')).toEqual([id])
    expect(await findDoc(world.table, id)).toMatchObject({ state: 'whole' })
  })

  it('and a run that meets it at one of its posts do not wait for each other', async () => {
    const ids = [await livePost('Quoll'), await livePost('Quoll')]
    const run = await startRun(ids, 1)
    const startedMs = performance.now()
    await Promise.all([reindex(contextOn(interrupted(SCAN, 9, run.end))), pause(300).then(run.end)])
    expect(performance.now() - startedMs).toBeLessThan(20_000)
    expect(await idsFor('quoll')).toEqual(ids.toReversed())
  })

  it('that stood still until its claim was over says so and writes nothing more', async () => {
    const id = await livePost('Potoroo')
    await index(id)
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    const client = interrupted(SCAN, 2, async () => {
      lateMs = 130_000
    })
    await expect(reindex(contextOn(client))).rejects.toThrow('stood still')
    expect(await idsFor('potoroo')).toEqual([id])
    expect(await findDoc(world.table, id)).toMatchObject({ state: 'rebuilding' })

    await reindex(contextOn(interrupted(SCAN, 9, async () => undefined)))
    expect(await findDoc(world.table, id)).toMatchObject({ state: 'whole' })
  })
})
