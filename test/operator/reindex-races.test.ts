// A reindex during runs of the index worker, one that is stopped for minutes, and one of a damaged index.
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { reindex } from '../../infra/operator/reindex/reindex.ts'
import { indexPosts } from '../../shared/search/commands/index-posts.ts'
import { blockKey, keyOfList } from '../../shared/search/posting-list-item.ts'
import { findIndexRecord } from '../../shared/search/store/index-record.ts'
import { HEAVIEST } from '../../shared/search/weights.ts'
import { openTable } from '../../shared/table/client.ts'
import { docKey, postKey } from '../../shared/table/design.ts'
import { use } from '../world/use.ts'
import { openIndexWorld } from './index-world.ts'

const world = use(openIndexWorld)
afterEach(() => vi.restoreAllMocks())

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })
const SCAN = 'ScanCommand'
const GET = 'GetItemCommand'
const TRANSACT = 'TransactWriteItemsCommand'
/** The lock of a run that did not extend it has expired by then. */
const LOCK_EXPIRED_MS = 20_000

/** Starts a run that waits before its nth transaction until `end` is called. */
async function startRun(ids: number[], nth: number) {
  const paused = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const client = world.clientWithHookBefore(TRANSACT, nth, () => {
    paused.resolve()
    return resumed.promise
  })
  const ended = indexPosts(openTable(client, world.tableName), ids, Date.now())
  await paused.promise
  return {
    end: () => {
      resumed.resolve()
      return ended
    },
  }
}

describe('a reindex', () => {
  it('waits for a run that is writing, so that the run does not overwrite it', async () => {
    const others = [await world.livePost('Wallaby'), await world.livePost('Wallaby')]
    await world.index(...others)
    const late = await world.livePost('Wallaby')
    const run = await startRun([late], 2)
    await world.remove(late)
    // The run ends after all terms are written at the latest, which is when it would overwrite them.
    const secondScan = world.clientWithHookBefore(SCAN, 2, run.end)
    await Promise.all([reindex(world.contextOn(secondScan)), pause(300).then(run.end)])
    await world.index(late)
    expect(await world.idsFor('wallaby')).toEqual(others.toReversed())
  })

  it('continues if a run without the lock marks a post before the reindex does', async () => {
    const id = await world.livePost('Bettong')
    const run = await startRun([id], 1)
    const client = world.clientWithHookBefore(TRANSACT, 1, run.end, docKey(id).pk)
    await reindex(world.contextOn(client, Date.now() + LOCK_EXPIRED_MS))
    expect(await world.idsFor('bettong')).toEqual([id])
    expect(await findIndexRecord(world.table, id)).toMatchObject({ state: 'indexed' })
  })

  it('does not wait for a run that waits for it', async () => {
    const ids = [await world.livePost('Quoll'), await world.livePost('Quoll')]
    const run = await startRun(ids, 1)
    // Otherwise the reindex would continue only after the timeout of the run, two minutes.
    await Promise.all([
      reindex(world.contextOn(world.clientWithHookBefore(SCAN, 9, run.end))),
      pause(300).then(run.end),
    ])
    expect(await world.idsFor('quoll')).toEqual(ids.toReversed())
  })

  it('stops writing if its lock expired while it was stopped', async () => {
    const id = await world.livePost('Potoroo')
    await world.index(id)
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    const client = world.clientWithHookBefore(SCAN, 2, async () => {
      lateMs = 130_000
    })
    await expect(reindex(world.contextOn(client))).rejects.toThrow('was stopped for so long')
    expect(await world.idsFor('potoroo')).toEqual([id])
    expect(await findIndexRecord(world.table, id)).toMatchObject({ state: 'rebuilding' })

    await reindex(world.contextOn())
    expect(await findIndexRecord(world.table, id)).toMatchObject({ state: 'indexed' })
  })
})

async function reported(repair: boolean, client = world.client) {
  return (await diagnose(world.contextOn(client), repair)).problems
    .map(({ subject, isRepaired }) => [subject, isRepaired])
    .sort()
}

describe('a reindex of a post whose record cannot be read', () => {
  it('names the post and releases the lock', async () => {
    const id = await world.livePost('Quokka')
    const record = await world.table.find(postKey(id), AnyItem)
    if (!record) throw new Error('The post does not exist.')
    await world.table.write({ Put: { Item: { ...record, title: 7 } } })
    await expect(reindex(world.contextOn())).rejects.toThrow(`Post ${id} cannot be read`)
    await world.table.write({ Put: { Item: record } })
    await reindex(world.contextOn())
    expect(await world.idsFor('quokka')).toEqual([id])
  })
})

describe('the doctor during a run of the index worker', () => {
  it('reads a post again before it reports that the index is out of date', async () => {
    const id = await world.livePost('Numbat')
    const run = await startRun([id], 2)
    expect(await reported(false, world.clientWithHookBefore(GET, 2, run.end, docKey(id).pk))).toEqual([])
  })

  it('waits for the run to end before it repairs a post', async () => {
    const id = await world.livePost('Bilby')
    const run = await startRun([id], 2)
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    let reads = 0
    const onRead = async () => {
      reads++
      if (reads === 1) lateMs = 6_000
      if (reads === 3) await run.end()
    }
    expect(await reported(true, world.clientWithHook(GET, onRead, docKey(id).pk))).toEqual([
      [`post ${id}`, true],
    ])
    expect(reads).toBeGreaterThan(2)
    expect(await reported(false)).toEqual([])
    expect(await world.idsFor('bilby')).toEqual([id])
  })
})

describe('the doctor on a search index with unreadable items', () => {
  it('reports each of them and rebuilds the index', async () => {
    const id = await world.livePost('Dunnart')
    await world.index(id)
    const bytes = Uint8Array.of(1, 2, 3)
    const posting = { weight: HEAVIEST, posted_at: 0, id: 9_990, is_page: false }
    await world.table.putMany([
      { ...docKey(id), stamp: 'planted', bytes },
      { ...keyOfList('dunnart'), postings: bytes },
      { ...blockKey('dunnart', posting), stamp: 'planted' },
    ])
    const problems = (isRepaired: boolean) => [
      [`search index of post ${id}`, isRepaired],
      ['search term dunnart', isRepaired],
      ['search term dunnart', isRepaired],
    ]
    expect(await reported(false)).toEqual(problems(false))
    expect(await reported(true)).toEqual(problems(true))
    expect(await reported(false)).toEqual([])
    expect(await world.idsFor('dunnart')).toEqual([id])
  })
})
