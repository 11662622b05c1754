// A reindex beside runs of the index that have begun before it, step by step; one that stands still; a damaged index.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { reindex } from '../../infra/operator/reindex/reindex.ts'
import { indexPosts } from '../../shared/search/commands/index-posts.ts'
import { findDoc } from '../../shared/search/store/docs.ts'
import { blockKey, keyOfTerm } from '../../shared/search/term.ts'
import { openTable } from '../../shared/table/client.ts'
import { docKey, postKey } from '../../shared/table/design.ts'
import { openIndexWorld } from './index-world.ts'

let world: Awaited<ReturnType<typeof openIndexWorld>>
beforeAll(async () => {
  world = await openIndexWorld()
})
afterAll(() => world.stop())
afterEach(() => vi.restoreAllMocks())

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })
const SCAN = 'ScanCommand'
const GET = 'GetItemCommand'
const TRANSACT = 'TransactWriteItemsCommand'
/** By then no run has its claim any more that has not prolonged it. */
const CLAIM_OVER_MS = 20_000

/** A run that stops before its nth transaction until it is let go. */
async function startRun(ids: number[], nth: number) {
  const stopped = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const client = world.interrupted(TRANSACT, nth, () => {
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

describe('a reindex', () => {
  it('waits for a run that has begun to write, which else would write over it', async () => {
    const others = [await world.livePost('Wallaby'), await world.livePost('Wallaby')]
    await world.index(...others)
    const late = await world.livePost('Wallaby')
    const run = await startRun([late], 2)
    await world.remove(late)
    // At the latest when all terms are written: that is when a run that nobody waited for did its harm.
    const secondScan = world.interrupted(SCAN, 2, run.end)
    await Promise.all([reindex(world.contextOn(secondScan)), pause(300).then(run.end)])
    await world.index(late)
    expect(await world.idsFor('wallaby')).toEqual(others.toReversed())
  })

  it('goes on where a run that lost its claim notes a post between its look and its own note', async () => {
    const id = await world.livePost('Bettong')
    const run = await startRun([id], 1)
    const client = world.interrupted(TRANSACT, 1, run.end, docKey(id).pk)
    await reindex(world.contextOn(client, Date.now() + CLAIM_OVER_MS))
    expect(await world.idsFor('bettong')).toEqual([id])
    expect(await findDoc(world.table, id)).toMatchObject({ state: 'whole' })
  })

  it('and a run that meets it at one of its posts do not wait for each other', async () => {
    const ids = [await world.livePost('Quoll'), await world.livePost('Quoll')]
    const run = await startRun(ids, 1)
    // Else the reindex takes the run for dead after two minutes: longer than this test may last.
    await Promise.all([
      reindex(world.contextOn(world.interrupted(SCAN, 9, run.end))),
      pause(300).then(run.end),
    ])
    expect(await world.idsFor('quoll')).toEqual(ids.toReversed())
  })

  it('that stood still until its claim was over says so and writes nothing more', async () => {
    const id = await world.livePost('Potoroo')
    await world.index(id)
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    const client = world.interrupted(SCAN, 2, async () => {
      lateMs = 130_000
    })
    await expect(reindex(world.contextOn(client))).rejects.toThrow('stood still')
    expect(await world.idsFor('potoroo')).toEqual([id])
    expect(await findDoc(world.table, id)).toMatchObject({ state: 'rebuilding' })

    await reindex(world.contextOn())
    expect(await findDoc(world.table, id)).toMatchObject({ state: 'whole' })
  })
})

async function told(isMending: boolean, client = world.client) {
  return (await diagnose(world.contextOn(client), isMending)).findings
    .map(({ where, isMended }) => [where, isMended])
    .sort()
}

describe('a reindex of a post whose record cannot be read', () => {
  it('names the post, and lets the next one begin at once', async () => {
    const id = await world.livePost('Quokka')
    const record = await world.table.find(postKey(id), AnyItem)
    if (!record) throw new Error('The post is gone.')
    await world.table.write({ Put: { Item: { ...record, title: 7 } } })
    await expect(reindex(world.contextOn())).rejects.toThrow(`Post ${id} cannot be read`)
    await world.table.write({ Put: { Item: record } })
    await reindex(world.contextOn())
    expect(await world.idsFor('quokka')).toEqual([id])
  })
})

describe('the doctor, of a post that a run has in its hands', () => {
  it('looks again before it says that the index does not follow', async () => {
    const id = await world.livePost('Numbat')
    const run = await startRun([id], 2)
    expect(await told(false, world.interrupted(GET, 2, run.end, docKey(id).pk))).toEqual([])
  })

  it('waits for the run to end before it mends', async () => {
    const id = await world.livePost('Bilby')
    const run = await startRun([id], 2)
    let lateMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs)
    let looks = 0
    const looking = async () => {
      looks++
      if (looks === 1) lateMs = 6_000
      if (looks === 3) await run.end()
    }
    expect(await told(true, world.interruptedEach(GET, looking, docKey(id).pk))).toEqual([
      [`post ${id}`, true],
    ])
    expect(looks).toBeGreaterThan(2)
    expect(await told(false)).toEqual([])
    expect(await world.idsFor('bilby')).toEqual([id])
  })
})

describe('the doctor, of items of the search index that cannot be read', () => {
  it('tells of each, and writes the index anew', async () => {
    const id = await world.livePost('Dunnart')
    await world.index(id)
    const bytes = Uint8Array.of(1, 2, 3)
    const nobody = { weight: 3, posted_at: 0, id: 9_990, is_page: false }
    await world.table.putMany([
      { ...docKey(id), stamp: 'planted', bytes },
      { ...keyOfTerm('dunnart'), postings: bytes },
      { ...blockKey('dunnart', nobody), stamp: 'planted' },
    ])
    const found = (isMended: boolean) => [
      [`search index of post ${id}`, isMended],
      ['search term dunnart', isMended],
      ['search term dunnart', isMended],
    ]
    expect(await told(false)).toEqual(found(false))
    expect(await told(true)).toEqual(found(true))
    expect(await told(false)).toEqual([])
    expect(await world.idsFor('dunnart')).toEqual([id])
  })
})
