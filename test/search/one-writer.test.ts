// Concurrent runs of the index worker: one writes at a time, and none waits for another forever.
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { Post } from '../../shared/posts/post.ts'
import { indexEach, indexPosts } from '../../shared/search/commands/index-posts.ts'
import { openTable } from '../../shared/table/client.ts'
import { postKey, writerLockKey } from '../../shared/table/design.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../world/use.ts'

const world = use(openIndexWorld)
afterEach(() => vi.restoreAllMocks())

const TRANSACT = 'TransactWriteItemsCommand'

async function livePosts(title: string, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < count; n++) ids.push(await world.livePost(title))
  return ids
}

/** A second client on the table, which counts its transactions and how many of them failed. */
function openCountingTable() {
  const count = { started: 0, failed: 0 }
  const client = world.clientWithHook(TRANSACT, async () => void count.started++)
  client.middlewareStack.add(
    (next, context) => async args => {
      try {
        return await next(args)
      } catch (error) {
        if (context.commandName === TRANSACT) count.failed++
        throw error
      }
    },
    { step: 'initialize' },
  )
  return { table: openTable(client, world.tableName), count }
}

describe('two concurrent runs of the index worker', () => {
  it('write one after the other, so that none of their transactions fails', async () => {
    const all = await livePosts('Ringtail possum in a hollow tree', 12)
    const { table, count } = openCountingTable()
    await Promise.all([
      indexPosts(table, all.slice(0, 6), Date.now()),
      indexPosts(table, all.slice(6), Date.now()),
    ])
    expect(await world.idsFor('ringtail')).toEqual(all.toReversed())
    expect(count.failed).toBe(0)
  })

  it('both end if one of them loses its lock, and a later run indexes its posts', async () => {
    const [slow = 0, fast = 0] = await livePosts('Pademelon', 2)
    const paused = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    const client = world.clientWithHookBefore(TRANSACT, 2, () => {
      paused.resolve()
      return resumed.promise
    })
    const slowRun = indexEach(openTable(client, world.tableName), [slow], Date.now())
    await paused.promise
    // For a run with a later clock, the lock of the paused run has expired.
    await indexPosts(world.table, [fast], Date.now() + 20_000)
    resumed.resolve()
    await slowRun
    await indexPosts(world.table, [slow, fast], Date.now())
    expect(await world.idsFor('pademelon')).toEqual([fast, slow])
  })

  it('wait for the lock of a killed run only until it expires', async () => {
    const [id = 0] = await livePosts('Potoroo', 1)
    const nowMs = Date.now()
    await world.table.write({
      Put: { Item: { ...writerLockKey, holder: 'a killed run', until_ms: nowMs + 300, is_run: true } },
    })
    await indexPosts(world.table, [id], nowMs)
    expect(await world.idsFor('potoroo')).toEqual([id])
  })
})

describe('a slow run of the index worker', () => {
  it('writes nothing after its lock has expired', async () => {
    const [id = 0] = await livePosts('Bandicoot', 1)
    let pausedMs = 0
    const realNow = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + pausedMs)
    const client = world.clientWithHookBefore(TRANSACT, 1, async () => {
      pausedMs = 20_000
    })
    const problems = await indexEach(openTable(client, world.tableName), [id], Date.now())
    expect(String(problems.get(id))).toContain('lost its lock')
    expect(await world.idsFor('bandicoot')).toEqual([])
    await indexPosts(world.table, [id], Date.now() + 40_000)
    expect(await world.idsFor('bandicoot')).toEqual([id])
  })

  it('gets the lock for its full duration even if reading its posts took long', async () => {
    const [id = 0] = await livePosts('Quoll', 1)
    const realNow = performance.now.bind(performance)
    let calls = 0
    const readingMs = 30_000
    // The run looks at the clock first when it starts, and again when it has read its posts.
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + (calls++ === 0 ? 0 : readingMs))
    const nowMs = Date.now()
    let untilMs = 0
    const client = world.clientWithHook(TRANSACT, async () => {
      untilMs = (await world.table.find(writerLockKey, z.object({ until_ms: z.int() })))?.until_ms ?? 0
    })
    await indexEach(openTable(client, world.tableName), [id], nowMs)
    expect(untilMs).toBeGreaterThan(nowMs + readingMs)
  })
})

describe('a post that cannot be read', () => {
  it('is reported, and the other posts of its run are indexed', async () => {
    const [broken = 0, ...others] = await livePosts('Kowari', 3)
    const record = await world.table.find(postKey(broken), Post)
    await world.table.write({ Put: { Item: { ...postKey(broken), ...record, title: 7 } } })
    const problems = await indexEach(world.table, [broken, ...others], Date.now())
    expect([...problems.keys()]).toEqual([broken])
    expect(await world.idsFor('kowari')).toEqual(others.toReversed())
  })
})
