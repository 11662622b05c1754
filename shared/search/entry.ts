// Entries of a segment: what it adds to the posting list of a term, and what it removes from older segments.
import { cut } from '../lists/text-order.ts'
import { isWord, type SearchDocument, termsOf } from './document.ts'
import { byRank, type Posting, type PostingList } from './posting.ts'

/** `minus` are postings that older segments have. Both in rank order. */
export type Postings = { plus: Posting[]; minus: Posting[] }
export type Entry = Postings & { term: string }

/** The same, as a page contains it. */
export type Lists = { plus: PostingList; minus: PostingList }

/** An update of one post: the document that the segments contain, and the one that replaces it. */
export type DocumentChange = { before: SearchDocument | undefined; after: SearchDocument | undefined }

/** By UTF-16 units, as JavaScript compares. */
export function byTerm(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** In the order of terms. A changed post is in `minus` of all its old terms and in `plus` of all new ones. */
export function entriesOf(changes: DocumentChange[]): Entry[] {
  const entries = new Map<string, Entry>()
  const add = (what: keyof Postings, doc: SearchDocument | undefined) => {
    if (!doc) return
    for (const [term, posting] of termsOf(doc)) {
      const entry = entries.get(term) ?? { term, plus: [], minus: [] }
      entry[what].push(posting)
      entries.set(term, entry)
    }
  }
  for (const { before, after } of changes) {
    add('minus', before)
    add('plus', after)
  }
  const sorted = [...entries.values()].sort((a, b) => byTerm(a.term, b.term))
  for (const { plus, minus } of sorted) {
    plus.sort(byRank)
    minus.sort(byRank)
  }
  return sorted
}

/** Sorts after every word that begins with the prefix, and is no word. */
const AFTER_WORDS = '\uffff'

/**
 * Sorts after all words that begin so. A large segment has such a term for each beginning of two and three
 * characters.
 */
export function prefixTerm(prefix: string): string {
  return prefix + AFTER_WORDS
}

export function isPrefixTerm(term: string): boolean {
  return term.endsWith(AFTER_WORDS)
}

const PREFIX_LENGTHS = [3, 2] as const

/** Segments with fewer posts need no terms of prefixes: the pages of a range are few. */
const MIN_PREFIXED = 256

/** By the numbers of posts in a segment. */
export function hasPrefixes({ added, removed }: { added: number; removed: number }): boolean {
  return added + removed >= MIN_PREFIXED
}

/** Whether a large segment has a term for the word as a prefix. */
export function isPrefixLength(word: string): boolean {
  return PREFIX_LENGTHS.some(length => length === Array.from(word).length)
}

/** Adds the terms of prefixes to entries in order. Each post has its heaviest weight of all words. */
export function openPrefixes() {
  const open = PREFIX_LENGTHS.map(length => ({ length, prefix: '', ...noPostings() }))

  /** The prefixes that end before the next term; all for undefined. */
  const endBefore = (term: string | undefined): Entry[] =>
    open.flatMap(one => {
      if (one.prefix !== '' && term?.startsWith(one.prefix)) return []
      const prefix = term !== undefined && isWord(term) ? prefixOf(term, one.length) : ''
      if (one.prefix === prefix) return []
      const ended = one.prefix === '' ? [] : [entryOf(one.prefix, one.plus, one.minus)]
      Object.assign(one, { prefix, ...noPostings() })
      return ended
    })

  const add = ({ plus, minus }: Entry): void => {
    for (const one of open) {
      if (one.prefix === '') continue
      for (const posting of plus) addHeaviest(one.plus, posting)
      for (const posting of minus) addHeaviest(one.minus, posting)
    }
  }
  return { endBefore, add }
}

function noPostings() {
  return { plus: new Map<number, Posting>(), minus: new Map<number, Posting>() }
}

function prefixOf(word: string, length: number): string {
  const prefix = cut(word, length)
  return Array.from(prefix).length === length ? prefix : ''
}

function entryOf(prefix: string, plus: Map<number, Posting>, minus: Map<number, Posting>): Entry {
  const sorted = (postings: Map<number, Posting>) => [...postings.values()].sort(byRank)
  return { term: prefixTerm(prefix), plus: sorted(plus), minus: sorted(minus) }
}

/** By the id of the post. */
export function addHeaviest(postings: Map<number, Posting>, posting: Posting): void {
  if ((postings.get(posting.id)?.weight ?? 0) < posting.weight) postings.set(posting.id, posting)
}
