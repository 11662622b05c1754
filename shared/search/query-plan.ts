// Plans the reads of a search: the order of its clauses, and when documents cost less than postings. No I/O.
import { type Clause, hasPostings } from './clause.ts'

/** Up to this many words are all looked up in posting lists, however common they are. */
export const MAX_WORDS = 10

/** A search with more words reads at most this many postings, which takes about 20 read units. */
const MAX_POSTINGS = 50_000

export const MAX_DOCUMENTS = 40

const UNITS_PER_DOCUMENT = 1
/** For whole lists. */
const POSTINGS_PER_UNIT = 2_500
/** For the blocks of a list in which one post can be. */
const UNITS_PER_POST = 1.5

/** Numbers of clauses to look up together, step by step: the hits of the rarest make the others cheaper. */
const STEPS = [1, 2, Infinity]

/** Whether the documents of the posts cost less than the postings that the remaining clauses need. */
export function isCheaperByDocuments(posts: number, remaining: Iterable<Clause>): boolean {
  let units = 0
  for (const clause of remaining) {
    if (hasPostings(clause)) continue
    units += Math.min(1 + clause.count / POSTINGS_PER_UNIT, posts * UNITS_PER_POST)
  }
  const needsDocuments = [...remaining].some(({ sources }) => sources === undefined)
  return posts <= MAX_DOCUMENTS && (needsDocuments || posts * UNITS_PER_DOCUMENT < units)
}

/** The clauses whose postings may be read. Expects the rarest first; those with postings cost nothing. */
export function withinBudget(clauses: Clause[]): Clause[] {
  let postings = 0
  return clauses.filter((clause, n) => {
    if (hasPostings(clause)) return true
    postings += clause.count
    return n < MAX_WORDS && postings <= MAX_POSTINGS
  })
}

export function stepsOf(clauses: Clause[]): Clause[][] {
  let from = 0
  return STEPS.map(size => {
    const step = clauses.slice(from, from + size)
    from += size
    return step
  }).filter(step => step.length > 0)
}
