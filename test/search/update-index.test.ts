// Runs of the index worker beside another run, and searches during them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { SearchDocument } from '../../shared/search/document.ts'
import { findHits } from '../../shared/search/hits.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { MERGED_AT_ONCE } from '../../shared/search/merge-segments.ts'
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
const LATER_MS = 12_000

async function countSegments(): Promise<number> {
  const names = (await world.dump()).flatMap(({ pk }) => (pk.startsWith('SEGMENT#') ? pk.split('#')[1] : []))
  return new Set(names).size
}

describe('a run of the index worker', () => {
  it('merges more posts and segments than one step takes', async () => {
    for (let n = 0; n < MERGED_AT_ONCE - 1; n++) {
      await putDocuments(world.table, [docOf(1_000 + n)])
      await world.merge()
    }
    const more = Array.from({ length: 260 }, (_, n) => docOf(2_000 + n))
    await putDocuments(world.table, more)
    await world.merge()
    const { manifest, pending } = await readIndexState(world.table)
    expect(pending).toEqual([])
    expect(manifest?.segments.map(({ added }) => added)).toEqual([MERGED_AT_ONCE - 1 + 250, 10])
    const request = { words: ['quokka'], types: 'all' as const, nowSeconds: 0, skip: 0, take: 1 }
    expect((await findHits(world.table, request)).total).toBe(MERGED_AT_ONCE - 1 + more.length)
  })

  it('leaves additions to wait until they are many or old, or an edit comes, and searches find them', async () => {
    const nowMs = Date.now()
    const run = async (laterMs: number) => {
      const clock = () => nowMs + laterMs
      // As the function of the worker calls it.
      await updateIndex({ table: world.table, clock, mayWait: true })
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

  it('merges a post whose replaced document is lost, which no later run could find', async () => {
    const id = await world.livePost('Dunnart')
    await world.merge()
    await world.change(id, { title: 'Planigale' })
    const replaced = (await world.dump()).filter(({ pk, sk }) => pk === docKey(id).pk && sk !== docKey(id).sk)
    await world.table.removeMany(replaced.map(({ pk, sk }) => ({ pk, sk })))
    await world.merge()
    expect((await readIndexState(world.table)).pending).toEqual([])
    expect(await world.idsFor('planigale')).toEqual([id])
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
    expect(await countSegments()).toBe(1)
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
