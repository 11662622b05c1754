// A clause of a search: a word or a category that every hit must have. Answered by the posting lists of all
// segments and of the pending posts, or by the document of a post. No I/O.
import { type SearchDocument, weightOfPrefix } from './document.ts'
import type { Posting } from './posting.ts'
import { countsOfList, isLarge, type PostingList } from './posting-list.ts'

/**
 * What a segment, or the pending posts, remove from older ones and add: of one term or of many. Posts in
 * `hidden` are removed from older ones whatever their words.
 */
export type Source = { minus: PostingList[]; plus: PostingList[]; hidden?: Set<number> }

export type Clause = {
  /** Oldest first. A post in any of them matches, unless a later one removes it. Undefined: not read. */
  sources: Source[] | undefined
  /** The number of postings in `sources`, which is not less than the number of posts. */
  count: number
  /** Whether its weight counts in the rank of a post. */
  isWeighted: boolean
  /** Undefined for a document that does not match. */
  weightIn: (doc: SearchDocument) => number | undefined
}

/** Whether all postings were read with the lists. Those of a large list need more reads. */
export function hasPostings({ sources }: Clause): boolean {
  return sources?.every(({ minus, plus }) => ![...minus, ...plus].some(isLarge)) === true
}

export function wordClause(word: string, sources?: Source[]): Clause {
  return {
    sources,
    count: sources ? countPostings(sources) : Infinity,
    isWeighted: true,
    weightIn: doc => weightOfPrefix(doc, word),
  }
}

/** Without weight: a search within a category ranks by its words. */
export function categoryClause(id: number, sources: Source[]): Clause {
  return {
    sources,
    count: countPostings(sources),
    isWeighted: false,
    weightIn: doc => (doc.category_ids.includes(id) ? 0 : undefined),
  }
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

function countPostings(sources: Source[]): number {
  return sources.reduce((sum, { minus, plus }) => sum + countAll(plus) - countAll(minus), 0)
}

function countAll(lists: PostingList[]): number {
  return lists.reduce((sum, list) => sum + countOfTypes('all', countsOfList(list)), 0)
}
