// The clauses of a search: words and categories that every hit must have. Each is answered by the posting
// lists of all segments and of the pending posts, or by the document of a post.
import type { Table } from '../table/client.ts'
import { categoryTerm, type SearchDocument, weightOfPrefix } from './document.ts'
import { byTerm, type DocumentChange, hasPrefixes, isPrefixLength, prefixTerm } from './entry.ts'
import type { Segment } from './manifest.ts'
import { listsOf, packedEntriesIn, pagesOfRange } from './page.ts'
import { countOfList, isLarge, LIGHTEST, type Posting, type PostingList } from './posting.ts'
import { readIndexes, readPages } from './segment-reader.ts'

/**
 * What a segment, or the pending posts, remove from older ones and add: of one term or of many. Posts in
 * `hidden` are removed from older ones whatever their words.
 */
export type Source = { minus: PostingList[]; plus: PostingList[]; hidden?: Set<number> }

/** Terms from `from` up to `to`, which is not among them. */
type Range = { from: string; to: string }

type Criterion = {
  rangeIn: (segment: Segment) => Range
  /** Undefined for a document that does not match. */
  weightIn: (doc: SearchDocument) => number | undefined
  /** Whether its weight counts in the rank of a post: a search within a category ranks by its words. */
  isWeighted: boolean
}

export type Clause = Omit<Criterion, 'rangeIn'> & {
  /** Oldest first. A post in any of them matches, unless a later one removes it. Undefined: not read. */
  sources: Source[] | undefined
  /** The number of postings in `sources`, which is not less than the number of posts. */
  count: number
}

function wantedWord(word: string): Criterion {
  return {
    rangeIn: segment =>
      hasPrefixes(segment) && isPrefixLength(word)
        ? rangeOfTerm(prefixTerm(word))
        : { from: word, to: prefixTerm(word) },
    weightIn: doc => weightOfPrefix(doc, word),
    isWeighted: true,
  }
}

function wantedCategory(id: number): Criterion {
  return {
    rangeIn: () => rangeOfTerm(categoryTerm(id)),
    weightIn: doc => (doc.category_ids.includes(id) ? LIGHTEST : undefined),
    isWeighted: false,
  }
}

function rangeOfTerm(term: string): Range {
  return { from: term, to: `${term}\u0000` }
}

/** A word that only documents answer. */
export function unreadClause(word: string): Clause {
  return { ...wantedWord(word), sources: undefined, count: Infinity }
}

type PendingReads = { reading: Promise<DocumentChange[] | undefined>; hidden: Set<number> }

/** The rarest first. All pages are read in one round trip, after the indexes that are not in memory. */
export async function readClauses(
  table: Table,
  { words, categoryId }: { words: string[]; categoryId: number | undefined },
  segments: Segment[],
  { reading, hidden }: PendingReads,
): Promise<Clause[]> {
  const indexes = await readIndexes(table, segments)
  const wanted = [...words.map(wantedWord), ...(categoryId === undefined ? [] : [wantedCategory(categoryId)])]
  const parts = wanted.map(({ rangeIn }) =>
    segments.map((segment, n) => {
      const range = rangeIn(segment)
      const index = indexes[n]
      return { segment: segment.name, range, pages: index ? pagesOfRange(index, range.from, range.to) : [] }
    }),
  )
  const refs = parts.flat().flatMap(({ segment, pages }) => pages.map(n => ({ segment, n })))
  const read = await readPages(table, refs)
  const sources = parts.map(ofWanted =>
    ofWanted.map(part => sourceOf(part, read.splice(0, part.pages.length))),
  )
  const changes = (await reading) ?? []
  return wanted
    .map(({ rangeIn: _, ...one }, n) => {
      const all = [...(sources[n] ?? []), { ...sourceOfPending(changes, one), hidden }]
      return { ...one, sources: all, count: countPostings(all) }
    })
    .sort((a, b) => a.count - b.count)
}

/** The lists of the terms in the range. */
function sourceOf({ segment, range }: { segment: string; range: Range }, pages: Uint8Array[]): Source {
  const source: Source = { minus: [], plus: [] }
  for (const page of pages) {
    for (const entry of packedEntriesIn(page, range.from)) {
      if (byTerm(entry.term, range.to) >= 0) break
      const { minus, plus } = listsOf(segment, entry)
      if (!isEmpty(minus)) source.minus.push(minus)
      if (!isEmpty(plus)) source.plus.push(plus)
    }
  }
  return source
}

function isEmpty(list: PostingList): boolean {
  return !isLarge(list) && list.postings.length === 0
}

function sourceOfPending(changes: DocumentChange[], { weightIn }: Pick<Criterion, 'weightIn'>): Source {
  const listsOf = (docs: (SearchDocument | undefined)[]): PostingList[] => {
    const postings = docs.flatMap((doc): Posting[] => {
      const weight = doc && weightIn(doc)
      if (!doc || weight === undefined) return []
      return [{ weight, posted_at: doc.posted_at, id: doc.id, is_page: doc.is_page }]
    })
    return postings.length > 0 ? [{ postings }] : []
  }
  return {
    minus: listsOf(changes.map(({ before }) => before)),
    plus: listsOf(changes.map(({ after }) => after)),
  }
}

function countPostings(sources: Source[]): number {
  const countAll = (lists: PostingList[]) => lists.reduce((sum, list) => sum + countOfList(list), 0)
  return sources.reduce((sum, { minus, plus }) => sum + countAll(plus) - countAll(minus), 0)
}

/** `all`: posts and pages. */
export type SearchedTypes = 'posts' | 'all'

export function isOfTypes(types: SearchedTypes, { is_page }: Posting): boolean {
  return types === 'all' || !is_page
}
