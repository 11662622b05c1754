// A clause of a search: a word or a category that every hit must have. Answered by posting lists, or by the
// document of a post. No I/O.
import { PREFIX_LENGTHS, prefixTerm, type SearchDocument } from './document.ts'
import type { Posting } from './posting.ts'
import { countsOfList, isLarge, type PostingList } from './posting-list.ts'
import { FIELDS } from './weights.ts'

export type Clause = {
  /** A post in any of them matches, with its highest weight. Undefined: not read. */
  lists: PostingList[] | undefined
  /** The number of postings in `lists`. */
  count: number
  /** Whether its weight counts in the rank of a post. */
  isWeighted: boolean
  /** Undefined for a document that does not match. */
  weightIn: (doc: SearchDocument) => number | undefined
}

/** Whether all postings were read with the lists. Those of a large list need more reads. */
export function hasPostings({ lists }: Clause): boolean {
  return lists?.some(isLarge) === false
}

export function wordClause(word: string, lists?: PostingList[]): Clause {
  return {
    lists,
    count: lists ? countPostings(lists) : Infinity,
    isWeighted: true,
    weightIn: doc => FIELDS.find(([field]) => doc[field].some(indexed => indexed.startsWith(word)))?.[1],
  }
}

/** Without weight: a search within a category ranks by its words. */
export function categoryClause(id: number, lists: PostingList[]): Clause {
  return {
    lists,
    count: countPostings(lists),
    isWeighted: false,
    weightIn: doc => (doc.category_ids.includes(id) ? 0 : undefined),
  }
}

/** The prefix term that answers a word of the search alone; empty for a longer word. */
export function prefixTermsOf(word: string): string[] {
  const characters = Array.from(word).length
  return PREFIX_LENGTHS.filter(length => length === characters).map(length => prefixTerm(word, length))
}

/** `all`: posts and pages. */
export type SearchedTypes = 'posts' | 'all'

export function countOfTypes(
  types: SearchedTypes,
  { posts, pages }: { posts: number; pages: number },
): number {
  return types === 'posts' ? posts : posts + pages
}

export function isOfTypes(types: SearchedTypes, { is_page }: Posting): boolean {
  return types === 'all' || !is_page
}

function countPostings(lists: PostingList[]): number {
  return lists.reduce((sum, list) => sum + countOfTypes('all', countsOfList(list)), 0)
}
