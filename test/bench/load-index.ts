// Writes the search index of a generated site as the index worker would, but each term only once.

import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { itemsOfList } from '../../shared/search/commands/posting-list-actions.ts'
import { saveIndexRecord } from '../../shared/search/commands/save-index-record.ts'
import { belongsInIndex, documentOf, postingsOf } from '../../shared/search/document.ts'
import { byRank, type Posting } from '../../shared/search/posting.ts'
import { NOT_INDEXED } from '../../shared/search/store/index-record.ts'
import { HEAVIEST } from '../../shared/search/weights.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Item } from '../../shared/table/key.ts'

const ITEMS_AT_ONCE = 100
/** One more than the largest weight, so that id and weight fit into one number. */
const SCALE = HEAVIEST + 1

export type IndexLoad = ReturnType<typeof openIndexLoad>

export function openIndexLoad(table: Table) {
  const sortKeys = new Map<number, Pick<Posting, 'posted_at' | 'is_page'>>()
  /** Tens of millions of postings, so each is one number that holds post id and weight. */
  const terms = new Map<string, number[]>()

  const add = async (post: Post, body: string): Promise<void> => {
    if (!belongsInIndex(post)) return
    const doc = documentOf(post, textOf(body))
    await saveIndexRecord(
      table,
      doc.id,
      { state: 'indexed', docs: [doc] },
      NOT_INDEXED,
      post.updated_at * 1000,
    )
    sortKeys.set(doc.id, { posted_at: doc.posted_at, is_page: doc.is_page })
    for (const [term, { weight }] of postingsOf(doc)) {
      const packed = doc.id * SCALE + weight
      const packedPostings = terms.get(term)
      if (packedPostings) {
        packedPostings.push(packed)
      } else {
        terms.set(term, [packed])
      }
    }
  }

  const postingOf = (packed: number): Posting => {
    const id = Math.floor(packed / SCALE)
    return { id, weight: packed % SCALE, ...(sortKeys.get(id) ?? { posted_at: 0, is_page: false }) }
  }

  /** Uses transactions, because the emulator commits each item of a batch by itself. */
  const write = async (progress: (share: number) => void): Promise<void> => {
    let items: Item[] = []
    for (const [n, [term, packed]] of [...terms].entries()) {
      items.push(...itemsOfList(term, packed.map(postingOf).sort(byRank)))
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
