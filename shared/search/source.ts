// A condition of a search: a word or a category, answered by postings or by a post's document. No I/O.

import { type Doc, FIELDS, STARTS, startTerm } from './doc.ts'
import type { Posting } from './posting.ts'
import { countOf, isLarge, type Term } from './term.ts'

export type Source = {
  /** A post with any of them has it, for the weight of the best. Undefined: not read, since a document can tell. */
  terms: Term[] | undefined
  /** Of their postings. */
  count: number
  isWeighed: boolean
  /** Undefined where the post has it not. */
  weightIn: (doc: Doc) => number | undefined
}

/** Whether its postings came with its terms, so that nothing more is to be read for them. */
export function isRead({ terms }: Source): boolean {
  return terms?.some(isLarge) === false
}

export function sourceOfWord(word: string, terms?: Term[]): Source {
  return {
    terms,
    count: terms ? countIn(terms) : Infinity,
    isWeighed: true,
    weightIn: doc => FIELDS.find(([field]) => doc[field].some(one => one.startsWith(word)))?.[1],
  }
}

/** Of no weight: a search within a category ranks by its words. */
export function sourceOfCategory(id: number, terms: Term[]): Source {
  return {
    terms,
    count: countIn(terms),
    isWeighed: false,
    weightIn: doc => (doc.category_ids.includes(id) ? 0 : undefined),
  }
}

export function nameOfStart(word: string): string[] {
  const characters = Array.from(word).length
  return STARTS.filter(length => length === characters).map(length => startTerm(word, length))
}

/** Posts alone, or pages, too. */
export type Kinds = 'posts' | 'all'

export function sizeFor(kinds: Kinds, { posts, pages }: { posts: number; pages: number }): number {
  return kinds === 'posts' ? posts : posts + pages
}

export function isWanted(kinds: Kinds, { is_page }: Posting): boolean {
  return kinds === 'all' || !is_page
}

export function countIn(terms: Term[]): number {
  return terms.reduce((sum, term) => sum + sizeFor('all', countOf(term)), 0)
}
