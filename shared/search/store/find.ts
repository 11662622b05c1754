// Finding posts by words: every word must begin one of the post's, and the better its field the better the find.
// A search costs by few of its words: the rarest are looked up, and once few posts are left these answer for the rest.
import { invalid } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { affordable, isForDocs, MOST_CHECKED, MOST_WORDS, stepsOf } from '../cost.ts'
import { byRank, type Posting } from '../posting.ts'
import { isWanted, type Kinds, type Source, sizeFor, sourceOfWord } from '../source.ts'
import { countOf, type Term } from '../term.ts'
import { findDocs, listUnindexed } from './docs.ts'
import { openSources } from './sources.ts'
import { allPostings, postingsOfPosts, somePostings } from './terms.ts'

export type SearchRequest = {
  /** As `searchedWords` gives them; none finds nothing. */
  words: string[]
  categoryId?: number | undefined
  kinds: Kinds
  skip: number
  take: number
}

export type Hits = { ids: number[]; total: number }
/** Of more words the terms of so many are read, the longest, among which the rarest mostly are. */
const MOST_READ = 16

/** Throws VALIDATION_ERROR for many words of which none is rare. */
export async function findPosts(table: Table, asked: SearchRequest): Promise<Hits> {
  const { words, categoryId } = asked
  if (words.length === 0) return { ids: [], total: 0 }
  const isBounded = words.length > MOST_WORDS
  const longest = isBounded ? words.toSorted((a, b) => b.length - a.length) : words
  const read = longest.slice(0, isBounded ? MOST_READ : MOST_WORDS)
  const [unindexed, known] = await Promise.all([listUnindexed(table), openSources(table, read, categoryId)])
  const sources = [...known, ...longest.slice(read.length).map(word => sourceOfWord(word))]
  const [first] = sources
  const [term, ...more] = first?.terms ?? []
  if (!first || !term) return { ids: [], total: 0 }
  // Its counts know the total, and its bounds where the page is.
  if (sources.length + more.length + unindexed.size === 1) return await findByTerm(table, term, asked)
  const found = await postsInAll(table, sources, isBounded)
  const ranked = [...found.values()]
    .filter(post => isWanted(asked.kinds, post) && !unindexed.has(post.id))
    .sort(byRank)
  return { ids: idsOf(ranked.slice(asked.skip, asked.skip + asked.take)), total: ranked.length }
}

function idsOf(postings: Posting[]): number[] {
  return postings.map(({ id }) => id)
}

async function findByTerm(table: Table, term: Term, asked: SearchRequest): Promise<Hits> {
  return {
    ids: idsOf(await somePostings(table, term, asked)),
    total: sizeFor(asked.kinds, countOf(term)),
  }
}

/** Posts by id, with the sum of their weights. */
type Found = Map<number, Posting>

async function postsInAll(table: Table, sources: Source[], isBounded: boolean): Promise<Found> {
  const left = new Set(sources)
  let found: Found | undefined
  for (const step of stepsOf(isBounded ? affordable(sources) : sources)) {
    found = await lookUp(table, step, found)
    for (const source of step) left.delete(source)
    if (found.size === 0 || isForDocs(found.size, left)) return await checkInDocs(table, found, [...left])
  }
  if (found && left.size === 0) return found
  if (!found || found.size > MOST_CHECKED) throw invalid({ q: [TOO_COMMON] })
  return await checkInDocs(table, found, [...left])
}

const TOO_COMMON = `Must have at most ${MOST_WORDS} words, or one that is in few posts.`

/** Of all posts, or of those that were found before. */
async function lookUp(table: Table, step: Source[], before: Found | undefined): Promise<Found> {
  const all = await Promise.all(step.map(source => postsIn(table, source, before)))
  const [first = new Map(), ...others] = before ? [before, ...all] : all
  return others.reduce(inBoth, first)
}

async function postsIn(
  table: Table,
  { terms = [], isWeighed }: Source,
  among: Found | undefined,
): Promise<Found> {
  const heaviest: Found = new Map()
  const read = (term: Term) =>
    among ? postingsOfPosts(table, term, among.values()) : allPostings(table, term)
  for (const posting of (await Promise.all(terms.map(read))).flat()) {
    const weight = isWeighed ? posting.weight : 0
    if ((heaviest.get(posting.id)?.weight ?? -1) < weight) heaviest.set(posting.id, { ...posting, weight })
  }
  return heaviest
}

function inBoth(some: Found, others: Found): Found {
  const both: Found = new Map()
  for (const post of some.values()) {
    const also = others.get(post.id)
    if (also) both.set(post.id, { ...post, weight: post.weight + also.weight })
  }
  return both
}

/** The documents of few posts say of each all that is left to be known. */
async function checkInDocs(table: Table, found: Found, left: Source[]): Promise<Found> {
  const docs = await findDocs(table, [...found.keys()])
  const checked: Found = new Map()
  for (const post of found.values()) {
    const doc = docs.get(post.id)
    const weights = doc ? left.flatMap(({ weightIn }) => weightIn(doc) ?? []) : []
    if (doc && weights.length === left.length) {
      checked.set(post.id, { ...post, weight: weights.reduce((sum, one) => sum + one, post.weight) })
    }
  }
  return checked
}
