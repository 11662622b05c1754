// Indexes texts of the greatest length that a request may have, with the call stack of a function.
import { describe, expect, it, vi } from 'vitest'
import { documentOf, type SearchDocument } from '../../shared/search/document.ts'
import { findHits } from '../../shared/search/hits.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { postsOfStep } from '../../shared/search/merge-pending.ts'
import type { Marker, PendingPost } from '../../shared/search/pending.ts'
import { randomOf } from '../bench/random.ts'
import { openIndexWorld } from '../operator/index-world.ts'
import { aPost } from '../rules/a-post.ts'
import { use } from '../support/use.ts'
import { incompressibleWords, putDocuments } from './documents.ts'

const world = use(openIndexWorld)
const dense = use(openIndexWorld)

const HAN = 0x4e00
const PAIRS = 25_000

/** Short words of a large alphabet, which are many in a document of the greatest size. */
function pairsOf(id: number): SearchDocument {
  const letter = (n: number) => String.fromCodePoint(HAN + n)
  const body = Array.from(
    { length: PAIRS },
    (_, n) => letter((n * id) % 199) + letter((n * 31 + id) % 20_000),
  )
  const rest = { posted_at: 1_600_000_000, is_page: false, category_ids: [], body_sha256: '', short: [] }
  return { id, ...rest, title: ['dibbler'], body: [...new Set(body)].sort() }
}

/** Different words, with tags that take three times as much. */
function markup(words: number): string {
  const word = (n: number) => `${(n * 7_919).toString(36)}word`
  return Array.from(
    { length: words },
    (_, n) =>
      `<li class="commit"><a href="https://example.com/commits/${n}"><code>${word(n)}</code></a></li>`,
  ).join('')
}

describe('a body of more than a megabyte', () => {
  it('is found before the worker has merged it, and its document has few read units', async () => {
    const body = `${markup(12_000)}<p>numbat</p>`
    expect(body.length).toBeGreaterThan(1_000_000)
    const id = await world.livePost('Wide', { body })
    const [pending] = (await readIndexState(world.table)).pending
    expect(pending?.newest.state).toBe('changed')
    expect(pending?.units).toBeLessThanOrEqual(25)
    expect(await world.idsFor('numbat')).toEqual([id])
    await world.merge()
    expect(await world.idsFor('numbat')).toEqual([id])
  })

  it('has at most 300 kB of different words in the index, those of the title first', async () => {
    const id = await world.livePost('Bilby', { body: `${incompressibleWords(310_000)} quoll` })
    for (const merge of [async () => undefined, world.merge]) {
      await merge()
      expect(await world.idsFor('bilby')).toEqual([id])
      expect(await world.idsFor('quoll')).toEqual([])
    }
  })
})

describe('documentOf', () => {
  it('splits no more of a long text than it indexes', () => {
    const post = { ...aPost({ is_published: true, announced: true }), posted_at: 1 }
    const random = randomOf(1, 1)
    const letter = () => String.fromCodePoint(HAN + random.below(20_000))
    const longer = Array.from({ length: 660_000 }, letter).join('')
    // Each different word goes into a set, once as read and once as indexed.
    const adds = vi.spyOn(Set.prototype, 'add')
    const { body } = documentOf(post, longer)
    expect(adds.mock.calls.length).toBeLessThan(3 * body.length)
    adds.mockRestore()
    expect(body.length).toBeLessThan(60_000)
  })
})

describe('many documents with tens of thousands of words', () => {
  it('are found, those that a search keeps in memory and others, and are merged in several steps', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => 5_000 + n)
    await putDocuments(dense.table, ids.map(pairsOf))
    const find = () =>
      findHits(dense.table, { words: ['dibbler'], types: 'all', nowSeconds: 0, skip: 0, take: 50 }, 10_000)
    const newestFirst = ids.toReversed()
    expect((await find()).ids).toEqual(newestFirst)
    expect((await find()).ids).toEqual(newestFirst)
    const { pending } = await readIndexState(dense.table)
    expect(postsOfStep(pending).length).toBeLessThan(pending.length)
  })
})

describe('postsOfStep', () => {
  it('takes other posts with one whose documents have more units than a step', () => {
    const post = (id: number, units: number): PendingPost => {
      const newest: Marker = { id, revision: 1, state: 'changed', units, previous_units: 0, added_ms: 0 }
      return { id, markers: [newest], newest, merged: undefined, units }
    }
    const pending = [post(1, 1_000), post(2, 1), post(3, 1)]
    expect(postsOfStep(pending)).toEqual(pending)
  })
})
