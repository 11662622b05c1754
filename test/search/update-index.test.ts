// Runs of the index worker that are killed or parallel to another run, and searches during them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { SearchDocument } from '../../shared/search/document.ts'
import { findHits } from '../../shared/search/hits.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { FEW_SEGMENTS } from '../../shared/search/merge-segments.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { openTable } from '../../shared/table/client.ts'
import { docKey, INDEX_PARTITION, manifestKey } from '../../shared/table/design.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { putDocuments } from './documents.ts'

const anything = z.looseObject({})

type World = Awaited<ReturnType<typeof openIndexWorld>>
let world: World
beforeEach(async () => {
  world = await openIndexWorld()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await world.stop()
})

/** The calls of a search. */
const READS = ['Query', 'BatchGetItem']
/** What a swap left can be deleted by then. */
const LATER_MS = 10_000

/** A run that is killed before its nth call of any kind; false if it had fewer. */
async function runKilledBefore(nth: number, nowMs: number): Promise<boolean> {
  let calls = 0
  const kill = async () => {
    if (++calls >= nth) throw new Error('The run was killed.')
  }
  const client = world.clientWithHook('any', kill)
  const table = openTable(client, world.tableName)
  return await world.merge(nowMs, table).then(
    () => false,
    () => true,
  )
}

/** What the function of the worker passes. */
function worker() {
  return {
    table: world.table,
    clock: Date.now,
    log: () => undefined,
    mayWait: true,
  }
}

function titleOf(n: number): string {
  return `Shared word ${n % 2 === 0 ? 'even' : 'odd'} own${n}`
}

async function segmentItems(): Promise<string[]> {
  const dump = await world.dump()
  return [
    ...new Set(dump.filter(({ pk }) => pk.startsWith('SEGMENT#')).map(({ pk }) => pk.split('#')[1] ?? '')),
  ]
}

describe('a run of the index worker', () => {
  it('may be killed before any of its calls: searches are right then, and nothing is left in the end', async () => {
    let nowMs = Date.now()
    const live: number[] = []
    let nth = 0
    for (let round = 0; round < 30; round++) {
      live.unshift(await world.livePost(titleOf(round)))
      if (round % 4 === 3) await world.remove(live.splice(2, 1)[0] ?? 0)
      nth = (await runKilledBefore(nth + 1, nowMs)) ? nth + 1 : 0
      expect(await world.idsFor('shared')).toEqual(live)
      nowMs += 1_500
    }
    for (let n = 0; n < 4; n++) {
      nowMs += LATER_MS
      await world.merge(nowMs)
    }
    expect(await world.idsFor('shared')).toEqual(live)
    const { manifest, markers } = await readIndexState(world.table)
    expect(markers).toEqual([])
    expect((await segmentItems()).sort()).toEqual(manifest?.segments.map(({ name }) => name).sort())
  })

  it('merges more posts and segments than one step takes', async () => {
    for (let n = 0; n < FEW_SEGMENTS; n++) {
      await putDocuments(world.table, [docOf(1_000 + n)])
      await world.merge()
    }
    const more = Array.from({ length: 260 }, (_, n) => docOf(2_000 + n))
    await putDocuments(world.table, more)
    await world.merge()
    const { manifest, pending } = await readIndexState(world.table)
    expect(pending).toEqual([])
    expect(manifest?.segments.map(({ added }) => added)).toEqual([FEW_SEGMENTS + 250, 10])
    const request = { words: ['quokka'], types: 'all' as const, nowSeconds: 0, skip: 0, take: 1 }
    expect((await findHits(world.table, request)).total).toBe(FEW_SEGMENTS + more.length)
  })

  it('leaves additions to wait until they are many or old, or an edit comes, and searches find them', async () => {
    const nowMs = Date.now()
    const run = async (laterMs: number) => {
      await updateIndex({ ...worker(), clock: () => nowMs + laterMs })
      return (await readIndexState(world.table)).pending.length
    }
    const edited = await world.livePost('Dunnart')
    expect(await run(0)).toBe(1)
    expect(await run(60_000)).toBe(0)
    const other = await world.livePost('Dunnart')
    expect(await run(0)).toBe(1)
    expect(await world.idsFor('dunnart')).toEqual([other, edited])
    await world.change(edited, { title: 'Planigale' })
    expect(await run(0)).toBe(0)
    await putDocuments(
      world.table,
      Array.from({ length: 100 }, (_, n) => docOf(1_000 + n)),
      nowMs,
    )
    expect(await run(0)).toBe(0)
  })

  it('saves nothing if another run saved the manifest first, and neither loses a post', async () => {
    const [first, second] = [await world.livePost('Quoll'), await world.livePost('Quoll')]
    const other = vi.fn(() => world.merge())
    const slow = world.clientWithHookBefore('UpdateItem', 1, other, manifestKey.sk)
    await world.merge(Date.now(), openTable(slow, world.tableName))
    expect(other).toHaveBeenCalledOnce()
    expect(await world.idsFor('quoll')).toEqual([second, first])
    await world.merge(Date.now() + LATER_MS)
    await world.merge(Date.now() + 2 * LATER_MS)
    expect((await segmentItems()).length).toBe(1)
  })
})

describe('a search', () => {
  it('is right if all that it is about to read is merged and deleted before one of its calls', async () => {
    for (const name of READS) {
      for (const nth of [1, 2, 3]) {
        const id = await world.livePost('Numbat')
        const edited = await world.livePost('Numbat')
        await world.merge()
        await world.change(edited, { title: 'Dunnart' })
        const mergeAll = async () => {
          for (let n = 0; n < 4; n++) await world.merge(Date.now() + n * LATER_MS)
        }
        const table = openTable(world.clientWithHookBefore(name, nth, mergeAll), world.tableName)
        const search = (word: string) =>
          findHits(table, { words: [word], types: 'all', nowSeconds: 0, skip: 0, take: 9 })
        expect([name, nth, await search('numbat')]).toEqual([name, nth, { ids: [id], total: 1 }])
        expect(await search('dunnart')).toEqual({ ids: [edited], total: 1 })
        await world.remove(id)
        await world.remove(edited)
        expect(await world.idsFor('numbat')).toEqual([])
      }
    }
  })

  it('reads the documents of pending posts once, and none on a quiet site', async () => {
    for (let n = 0; n < 5; n++) await world.livePost('Kowari')
    await world.idsFor('kowari')
    const again = await world.measure(() => world.idsFor('kowari'))
    expect(again.used).toMatchObject({ calls: 1, readUnits: 1 })
    await world.merge()
    await world.merge(Date.now() + LATER_MS)
    await world.idsFor('kowari')
    const quiet = await world.measure(() => world.idsFor('kowari'))
    expect(quiet.used).toMatchObject({ calls: 1, readUnits: 1 })
    expect(await world.table.query({ pk: INDEX_PARTITION }, anything)).toHaveLength(1)
    expect(await world.table.findMany([docKey(1)])).toHaveLength(1)
  })
})

function docOf(id: number): SearchDocument {
  const rest = { posted_at: 1_000, is_page: false, category_ids: [], body_sha256: '', short: [], body: [] }
  return { id, ...rest, title: ['quokka'] }
}
