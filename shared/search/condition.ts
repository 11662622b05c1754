// A condition of a search: a word or a category, answered by postings or by a post's document. No I/O.

import { type Doc, PREFIX_LENGTHS, prefixTerm } from './doc.ts'
import type { Posting } from './posting.ts'
import { countOf, isLarge, type Term } from './term.ts'
import { FIELDS } from './weights.ts'

export type Condition = {
  /** A post with any of them has it, for the weight of the best. Undefined: not read, since a document can tell. */
  terms: Term[] | undefined
  /** Of their postings. */
  count: number
  isWeighed: boolean
  /** Undefined where the post has it not. */
  weightIn: (doc: Doc) => number | undefined
}

/** Whether its postings came with its terms, so that nothing more is to be read for them. */
export function isRead({ terms }: Condition): boolean {
  return terms?.some(isLarge) === false
}

export function wordCondition(word: string, terms?: Term[]): Condition {
  return {
    terms,
    count: terms ? countPostings(terms) : Infinity,
    isWeighed: true,
    weightIn: doc => FIELDS.find(([field]) => doc[field].some(one => one.startsWith(word)))?.[1],
  }
}

/** Of no weight: a search within a category ranks by its words. */
export function categoryCondition(id: number, terms: Term[]): Condition {
  return {
    terms,
    count: countPostings(terms),
    isWeighed: false,
    weightIn: doc => (doc.category_ids.includes(id) ? 0 : undefined),
  }
}

export function prefixTerms(word: string): string[] {
  const characters = Array.from(word).length
  return PREFIX_LENGTHS.filter(length => length === characters).map(length => prefixTerm(word, length))
}

/** Posts alone, or pages, too. */
export type PostKinds = 'posts' | 'all'

export function sizeFor(kinds: PostKinds, { posts, pages }: { posts: number; pages: number }): number {
  return kinds === 'posts' ? posts : posts + pages
}

export function isWanted(kinds: PostKinds, { is_page }: Posting): boolean {
  return kinds === 'all' || !is_page
}

export function countPostings(terms: Term[]): number {
  return terms.reduce((sum, term) => sum + sizeFor('all', countOf(term)), 0)
}
