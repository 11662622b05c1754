// Reads the clauses of a search, each with the posting lists that answer it.
import type { Table } from '../../table/client.ts'
import { type Clause, categoryClause, prefixTermsOf, wordClause } from '../clause.ts'
import { categoryTerm } from '../document.ts'
import { keyOfList, PostingListItem } from '../posting-list-item.ts'
import { findListsWithPrefix, findPostingList } from './posting-lists.ts'

/** The rarest first. One call reads the lists of all words that are a prefix term. */
export async function readClauses(
  table: Table,
  words: string[],
  categoryId: number | undefined,
): Promise<Clause[]> {
  const wordsByTerm = new Map(words.flatMap(word => prefixTermsOf(word).map(term => [term, word] as const)))
  const longWords = words.filter(word => prefixTermsOf(word).length === 0)
  const [items, long, categories] = await Promise.all([
    table.findMany([...wordsByTerm.keys()].map(keyOfList), { isEventual: true }),
    Promise.all(longWords.map(async word => wordClause(word, await findListsWithPrefix(table, word)))),
    categoryId === undefined
      ? []
      : [categoryClause(categoryId, [(await findPostingList(table, categoryTerm(categoryId))) ?? []].flat())],
  ])
  const byTerm = new Map(items.map(item => PostingListItem.parse(item)).map(list => [list.term, list]))
  const short = [...wordsByTerm].map(([term, word]) => wordClause(word, [byTerm.get(term) ?? []].flat()))
  return [...short, ...long, ...categories].sort((a, b) => a.count - b.count)
}
