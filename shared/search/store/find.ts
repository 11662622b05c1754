// Finding posts by words: every word must begin one of the post's, and the better its field the better the find.
// A search costs by few of its words: the rarest are looked up, and once few posts are left these answer for the rest.
import { invalid } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { type Condition, isWanted, type PostKinds, sizeFor, wordCondition } from '../condition.ts'
import { affordableOf, isCheaperByDocs, MOST_CHECKED, MOST_WORDS, stepsOf } from '../cost.ts'
import { byRank, type Posting } from '../posting.ts'
import { countOf, type Term } from '../term.ts'
import { readConditions } from './conditions.ts'
import { findDocs, listTombstones } from './index-record.ts'
import { allPostings, postingsOfPosts, somePostings } from './terms.ts'

export type SearchRequest = {
  /** As `searchedWords` gives them; none finds nothing. */
  words: string[]
  categoryId?: number | undefined
  kinds: PostKinds
  skip: number
  take: number
}

export type Hits = { ids: number[]; total: number }
/** Of more words the terms of so many are read, the longest, among which the rarest mostly are. */
const MOST_READ = 16

/** Throws VALIDATION_ERROR for many words of which none is rare. */
export async function findPosts(table: Table, request: SearchRequest): Promise<Hits> {
  const { words, categoryId } = request
  if (words.length === 0) return { ids: [], total: 0 }
  const isBounded = words.length > MOST_WORDS
  const longest = isBounded ? words.toSorted((a, b) => b.length - a.length) : words
  const read = longest.slice(0, isBounded ? MOST_READ : MOST_WORDS)
  const [tombstones, known] = await Promise.all([
    listTombstones(table),
    readConditions(table, read, categoryId),
  ])
  const conditions = [...known, ...longest.slice(read.length).map(word => wordCondition(word))]
  const [first] = conditions
  const [term, ...more] = first?.terms ?? []
  if (!first || !term) return { ids: [], total: 0 }
  // Its counts know the total, and its bounds where the page is.
  if (conditions.length + more.length + tombstones.size === 1) return await findByTerm(table, term, request)
  const matches = await matchAll(table, conditions, isBounded)
  const ranked = [...matches.values()]
    .filter(post => isWanted(request.kinds, post) && !tombstones.has(post.id))
    .sort(byRank)
  return { ids: idsOf(ranked.slice(request.skip, request.skip + request.take)), total: ranked.length }
}

function idsOf(postings: Posting[]): number[] {
  return postings.map(({ id }) => id)
}

async function findByTerm(table: Table, term: Term, request: SearchRequest): Promise<Hits> {
  return {
    ids: idsOf(await somePostings(table, term, request)),
    total: sizeFor(request.kinds, countOf(term)),
  }
}

/** Posts by id, with the sum of their weights. */
type Matches = Map<number, Posting>

async function matchAll(table: Table, conditions: Condition[], isBounded: boolean): Promise<Matches> {
  const left = new Set(conditions)
  let matches: Matches | undefined
  for (const step of stepsOf(isBounded ? affordableOf(conditions) : conditions)) {
    matches = await matchStep(table, step, matches)
    for (const condition of step) left.delete(condition)
    if (matches.size === 0 || isCheaperByDocs(matches.size, left)) {
      return await checkInDocs(table, matches, [...left])
    }
  }
  if (matches && left.size === 0) return matches
  if (!matches || matches.size > MOST_CHECKED) throw invalid({ q: [TOO_COMMON] })
  return await checkInDocs(table, matches, [...left])
}

const TOO_COMMON = `Must have at most ${MOST_WORDS} words, or one that is in few posts.`

/** Of all posts, or of those that were found before. */
async function matchStep(table: Table, step: Condition[], before: Matches | undefined): Promise<Matches> {
  const all = await Promise.all(step.map(condition => matchOne(table, condition, before)))
  const [first = new Map(), ...others] = before ? [before, ...all] : all
  return others.reduce(intersect, first)
}

async function matchOne(
  table: Table,
  { terms = [], isWeighed }: Condition,
  among: Matches | undefined,
): Promise<Matches> {
  const heaviest: Matches = new Map()
  const read = (term: Term) =>
    among ? postingsOfPosts(table, term, among.values()) : allPostings(table, term)
  for (const posting of (await Promise.all(terms.map(read))).flat()) {
    const weight = isWeighed ? posting.weight : 0
    if ((heaviest.get(posting.id)?.weight ?? -1) < weight) heaviest.set(posting.id, { ...posting, weight })
  }
  return heaviest
}

function intersect(some: Matches, others: Matches): Matches {
  const both: Matches = new Map()
  for (const post of some.values()) {
    const also = others.get(post.id)
    if (also) both.set(post.id, { ...post, weight: post.weight + also.weight })
  }
  return both
}

/** The documents of few posts say of each all that is left to be known. */
async function checkInDocs(table: Table, matches: Matches, left: Condition[]): Promise<Matches> {
  const docs = await findDocs(table, [...matches.keys()])
  const checked: Matches = new Map()
  for (const post of matches.values()) {
    const doc = docs.get(post.id)
    const weights = doc ? left.flatMap(({ weightIn }) => weightIn(doc) ?? []) : []
    if (doc && weights.length === left.length) {
      checked.set(post.id, { ...post, weight: weights.reduce((sum, one) => sum + one, post.weight) })
    }
  }
  return checked
}
