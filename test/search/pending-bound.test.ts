// What a search reads, and what it finds, while the index worker stands still and hundreds of posts wait.
import { describe, expect, it } from 'vitest'
import { updatePost } from '../../shared/posts/commands/change.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { findHits, MAX_PENDING_UNITS } from '../../shared/search/hits.ts'
import { openTable } from '../../shared/table/client.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { use } from '../support/use.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { putDocuments } from './documents.ts'

const world = use(openIndexWorld)

const WAITING = 300
/** The manifest, the markers and the pages of segments that a search reads each time. */
const UNITS_EACH_TIME = 8
const FIRST_ID = 1_000_000

/** Measures the first search of a function, which remembers documents, or with its `table` a later one. */
function search(word: string, table = openTable(world.client, world.tableName)) {
  return world.measure(() =>
    findHits(table, { words: [word], types: 'all', nowSeconds: 0, skip: 0, take: 1_000 }),
  )
}

function docOf(id: number): SearchDocument {
  const body = Array.from({ length: 100 }, (_, n) => `w${(id * 7919 + n * 31) % 3_000}x`).sort()
  const rest = { posted_at: 1_600_000_000, is_page: false, category_ids: [], body_sha256: '', short: [] }
  return { id, ...rest, title: ['numbat'], body }
}

function ref(id: number) {
  return { id, requireMatch: () => undefined }
}

describe('a search while the index worker stands still', () => {
  it('costs the same with hundreds of posts that wait, finds the newest, and no words that were removed', async () => {
    const [stays = 0, edited = 0, deleted = 0, unpublished = 0, republished = 0] = await Promise.all(
      Array.from({ length: 5 }, () => world.livePost('Numbat')),
    )
    await world.merge()
    await world.change(edited, { title: 'Kowari' })
    await world.remove(deleted)
    await updatePost(unitOfWorkOn(world.table), ref(unpublished), { is_published: false })
    await updatePost(unitOfWorkOn(world.table), ref(republished), { is_published: false })
    await updatePost(unitOfWorkOn(world.table), ref(republished), { is_published: true })
    const ids = Array.from({ length: WAITING }, (_, n) => FIRST_ID + n)
    await putDocuments(world.table, ids.map(docOf))
    const last = await world.livePost('Numbat')

    const table = openTable(world.client, world.tableName)
    const first = await search('numbat', table)
    const again = await search('numbat', table)
    expect(first.used.readUnits).toBeLessThanOrEqual(UNITS_EACH_TIME + MAX_PENDING_UNITS)
    expect(again.used.readUnits).toBeLessThanOrEqual(UNITS_EACH_TIME)
    expect(first.used.roundTrips).toBeLessThanOrEqual(3)

    const { ids: found, total } = first.result
    expect(total).toBe(found.length)
    expect(again.result).toEqual(first.result)
    const waitingFound = found.filter(id => id >= FIRST_ID)
    expect(found.filter(id => id < FIRST_ID).sort()).toEqual([stays, republished, last].sort())
    expect(waitingFound).toEqual(ids.slice(-waitingFound.length).reverse())
    expect(waitingFound.length).toBeGreaterThan(MAX_PENDING_UNITS - 20)
    expect((await search('kowari')).result).toEqual({ ids: [edited], total: 1 })

    await world.merge()
    const all = (await search('numbat')).result
    expect(all.total).toBe(WAITING + 3)
    expect(all.ids.toSorted()).toEqual([stays, republished, last, ...ids].toSorted())
    expect((await search('kowari')).result).toEqual({ ids: [edited], total: 1 })
  })
})
