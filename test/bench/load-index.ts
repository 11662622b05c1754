// The search index of a generated site, as the index worker would leave it: each term once, its postings by sorting.

import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { docOf, isIndexed, postingsOf } from '../../shared/search/doc.ts'
import { byRank, type Posting } from '../../shared/search/posting.ts'
import { NOTHING, saveDoc } from '../../shared/search/store/docs.ts'
import { itemsOf } from '../../shared/search/term-actions.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/key.ts'

const ITEMS_AT_ONCE = 100
/** A weight is 1 to 3. */
const WEIGHTS = 4

export type IndexLoad = ReturnType<typeof openIndexLoad>

export function openIndexLoad(table: Table) {
  const places = new Map<number, Pick<Posting, 'posted_at' | 'is_page'>>()
  /** Tens of millions of them: a number each, of post and weight. */
  const terms = new Map<string, number[]>()

  const add = async (post: Post, body: string): Promise<void> => {
    if (!isIndexed(post)) return
    const doc = docOf(post, textOf(body))
    await saveDoc(table, doc.id, { state: 'whole', docs: [doc] }, NOTHING, post.updated_at * 1000)
    places.set(doc.id, { posted_at: doc.posted_at, is_page: doc.is_page })
    for (const [term, { weight }] of postingsOf(doc)) {
      const packed = doc.id * WEIGHTS + weight
      const known = terms.get(term)
      if (known) {
        known.push(packed)
      } else {
        terms.set(term, [packed])
      }
    }
  }

  const postingOf = (packed: number): Posting => {
    const id = Math.floor(packed / WEIGHTS)
    return { id, weight: packed % WEIGHTS, ...(places.get(id) ?? { posted_at: 0, is_page: false }) }
  }

  /** `progress` hears which share of the terms is in. In transactions, since each item of a batch is a commit of its own. */
  const write = async (progress: (share: number) => void): Promise<void> => {
    let items: Item[] = []
    for (const [n, [term, packed]] of [...terms].entries()) {
      items.push(...itemsOf(term, packed.map(postingOf).sort(byRank)))
      while (items.length >= ITEMS_AT_ONCE) {
        await put(items.slice(0, ITEMS_AT_ONCE))
        items = items.slice(ITEMS_AT_ONCE)
      }
      progress((n + 1) / terms.size)
    }
    await put(items)
  }
  const put = (items: Item[]) => table.transact(items.map(Item => ({ Put: { Item } })))
  return { add, write }
}
