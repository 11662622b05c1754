// Compares searches with a plain scan of all documents.
import { expect } from 'vitest'
import type { SearchDocument } from '../../shared/search/document.ts'
import { findHits, type SearchRequest } from '../../shared/search/hits.ts'
import { byRank, FIELDS } from '../../shared/search/posting.ts'
import type { Table } from '../../shared/table/client.ts'

export type Search = Omit<SearchRequest, 'skip' | 'take' | 'nowSeconds'>

const ALL_HITS = { skip: 0, take: 50 }
const SECOND_PAGE = { skip: 1, take: 2 }

/** The ids of the hits in the order of their rank. */
export function scan(docs: Iterable<SearchDocument>, { words, categoryId, types }: Search): number[] {
  return [...docs]
    .map(doc => ({ doc, weights: words.map(word => weightIn(doc, word)) }))
    .filter(({ weights }) => weights.every(weight => weight > 0))
    .filter(({ doc }) => categoryId === undefined || doc.category_ids.includes(categoryId))
    .filter(({ doc }) => types === 'all' || !doc.is_page)
    .map(({ doc, weights }) => ({ ...doc, weight: weights.reduce((sum, weight) => sum + weight, 0) }))
    .sort(byRank)
    .map(({ id }) => id)
}

function weightIn(doc: SearchDocument, word: string): number {
  return FIELDS.find(([field]) => doc[field].some(indexed => indexed.startsWith(word)))?.[1] ?? 0
}

type SearchedTable = { table: Table; maxPendingUnits: number }

/** Only posts of `mayMiss` may be missing. All else is exact: no other hit, their order, totals, pages. */
export async function expectHits(
  { table, maxPendingUnits }: SearchedTable,
  docs: Iterable<SearchDocument>,
  search: Search,
  mayMiss: number[],
): Promise<void> {
  const find = (page: typeof ALL_HITS) =>
    findHits(table, { ...search, ...page, nowSeconds: 0 }, maxPendingUnits)
  const all = await find(ALL_HITS)
  const expected = scan(docs, search).filter(id => all.ids.includes(id) || !mayMiss.includes(id))
  expect({ search, ...all }).toEqual({ search, ids: expected, total: expected.length })
  if (expected.length <= SECOND_PAGE.skip) return
  const { skip, take } = SECOND_PAGE
  const ids = expected.slice(skip, skip + take)
  expect({ search, ...(await find(SECOND_PAGE)) }).toEqual({ search, ids, total: expected.length })
}
