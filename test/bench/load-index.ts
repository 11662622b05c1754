// The search index of a generated site, as the index worker would leave it: each term once, its postings by sorting.

import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { docOf, isIndexed, postingsOf } from '../../shared/search/doc.ts'
import { byRank, type Posting } from '../../shared/search/posting.ts'
import { itemsOf } from '../../shared/search/term-store.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/key.ts'
import { sideBySide } from '../../shared/table/side-by-side.ts'

/** Of a transaction that stays below 4 MB. */
const ITEMS_AT_ONCE = 100
const BATCHES_AT_ONCE = 2
/** A weight is 1 to 3. */
const WEIGHTS = 4

export type IndexLoad = ReturnType<typeof openIndexLoad>

export const openIndexLoad = (table: Table) => {
  const places = new Map<number, Pick<Posting, 'posted_at' | 'is_page'>>()
  /** Tens of millions of them: a number each, of post and weight. */
  const terms = new Map<string, number[]>()

  const add = (post: Post, body: string): void => {
    if (!isIndexed(post)) return
    const doc = docOf(post, textOf(body))
    places.set(doc.id, { posted_at: doc.posted_at, is_page: doc.is_page })
    for (const [term, { weight }] of postingsOf(doc)) {
      const packed = doc.id * WEIGHTS + weight
      const known = terms.get(term)
      if (known) known.push(packed)
      else terms.set(term, [packed])
    }
  }

  const postingOf = (packed: number): Posting => {
    const id = Math.floor(packed / WEIGHTS)
    return { id, weight: packed % WEIGHTS, ...(places.get(id) ?? { posted_at: 0, is_page: false }) }
  }

  /** `progress` hears which share of the terms is in. */
  const write = async (progress: (share: number) => void = () => undefined): Promise<void> => {
    const batch: Item[] = []
    const batches: Item[][] = []
    const flush = async () => {
      await sideBySide(batches.splice(0), BATCHES_AT_ONCE, items =>
        table.transact(items.map(Item => ({ Put: { Item } }))),
      )
    }
    for (const [n, [term, packed]] of [...terms].entries()) {
      for (const item of itemsOf(term, packed.map(postingOf).sort(byRank))) {
        batch.push(item)
        if (batch.length === ITEMS_AT_ONCE) batches.push(batch.splice(0))
      }
      if (batches.length >= BATCHES_AT_ONCE) {
        await flush()
        progress((n + 1) / terms.size)
      }
    }
    if (batch.length > 0) batches.push(batch)
    await flush()
  }
  return { add, write }
}
