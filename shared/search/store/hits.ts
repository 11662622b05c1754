// Finds the hits of a search in rank order. The rarest words are looked up in posting lists; once few posts
// match, their documents answer the other words.
import { invalid } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { type Clause, countOfTypes, isOfTypes, type SearchedTypes, wordClause } from '../clause.ts'
import { byRank, type Posting } from '../posting.ts'
import { countsOfList, type PostingList } from '../posting-list.ts'
import { isCheaperByDocuments, MAX_DOCUMENTS, MAX_WORDS, stepsOf, withinBudget } from '../query-plan.ts'
import { readClauses } from './clauses.ts'
import { findDocuments, listTombstones } from './index-record.ts'
import { allPostings, pageOfPostings, postingsOfPosts } from './posting-lists.ts'

export type SearchRequest = {
  /** From `queryWords`. Without words there are no hits. */
  words: string[]
  categoryId?: number | undefined
  types: SearchedTypes
  skip: number
  take: number
}

export type Hits = { ids: number[]; total: number }

/** Of a longer search, only so many of its longest words are looked up: they are mostly the rarest. */
const MAX_WORDS_READ = 16

/** Throws VALIDATION_ERROR for a search of many words of which none is rare. */
export async function findHits(table: Table, request: SearchRequest): Promise<Hits> {
  const { words, categoryId } = request
  if (words.length === 0) return { ids: [], total: 0 }
  const isBounded = words.length > MAX_WORDS
  const longestFirst = isBounded ? words.toSorted((a, b) => b.length - a.length) : words
  const wordsToRead = longestFirst.slice(0, isBounded ? MAX_WORDS_READ : MAX_WORDS)
  const [tombstones, clausesRead] = await Promise.all([
    listTombstones(table),
    readClauses(table, wordsToRead, categoryId),
  ])
  const otherWords = longestFirst.slice(wordsToRead.length)
  const clauses = [...clausesRead, ...otherWords.map(word => wordClause(word))]
  const [rarest] = clauses
  const [list, ...moreLists] = rarest?.lists ?? []
  if (!rarest || !list) return { ids: [], total: 0 }
  // The counts of a list alone are the total, and its bounds tell the blocks of the page.
  const isListAlone = clauses.length === 1 && moreLists.length === 0
  if (isListAlone && tombstones.size === 0) return await hitsOfList(table, list, request)
  const matches = await matchAll(table, clauses, isBounded)
  const ranked = [...matches.values()]
    .filter(post => isOfTypes(request.types, post) && !tombstones.has(post.id))
    .sort(byRank)
  return { ids: idsOf(ranked.slice(request.skip, request.skip + request.take)), total: ranked.length }
}

function idsOf(postings: Posting[]): number[] {
  return postings.map(({ id }) => id)
}

async function hitsOfList(table: Table, list: PostingList, request: SearchRequest): Promise<Hits> {
  return {
    ids: idsOf(await pageOfPostings(table, list, request)),
    total: countOfTypes(request.types, countsOfList(list)),
  }
}

/** By the id of the post; `weight` is the sum of the weights of the clauses so far. */
type Matches = Map<number, Posting>

async function matchAll(table: Table, clauses: Clause[], isBounded: boolean): Promise<Matches> {
  const remaining = new Set(clauses)
  let matches: Matches | undefined
  for (const step of stepsOf(isBounded ? withinBudget(clauses) : clauses)) {
    matches = await matchStep(table, step, matches)
    for (const clause of step) remaining.delete(clause)
    if (matches.size === 0 || isCheaperByDocuments(matches.size, remaining)) {
      return await checkDocuments(table, matches, [...remaining])
    }
  }
  if (matches && remaining.size === 0) return matches
  if (!matches || matches.size > MAX_DOCUMENTS) throw invalid({ q: [TOO_COMMON] })
  return await checkDocuments(table, matches, [...remaining])
}

const TOO_COMMON = `Must have at most ${MAX_WORDS} words, or one that is in few posts.`

/** `before`: the matches of earlier steps; undefined in the first one. */
async function matchStep(table: Table, step: Clause[], before: Matches | undefined): Promise<Matches> {
  const all = await Promise.all(step.map(clause => matchClause(table, clause, before)))
  const [first = new Map(), ...others] = before ? [before, ...all] : all
  return others.reduce(intersect, first)
}

async function matchClause(
  table: Table,
  { lists = [], isWeighted }: Clause,
  before: Matches | undefined,
): Promise<Matches> {
  const matches: Matches = new Map()
  const read = (list: PostingList) =>
    before ? postingsOfPosts(table, list, before.values()) : allPostings(table, list)
  for (const posting of (await Promise.all(lists.map(read))).flat()) {
    const weight = isWeighted ? posting.weight : 0
    if ((matches.get(posting.id)?.weight ?? -1) < weight) matches.set(posting.id, { ...posting, weight })
  }
  return matches
}

function intersect(a: Matches, b: Matches): Matches {
  const both: Matches = new Map()
  for (const post of a.values()) {
    const other = b.get(post.id)
    if (other) both.set(post.id, { ...post, weight: post.weight + other.weight })
  }
  return both
}

/** Checks the remaining clauses in the documents of the posts. */
async function checkDocuments(table: Table, matches: Matches, remaining: Clause[]): Promise<Matches> {
  const docs = await findDocuments(table, [...matches.keys()])
  const checked: Matches = new Map()
  for (const post of matches.values()) {
    const doc = docs.get(post.id)
    const weights = doc ? remaining.flatMap(({ weightIn }) => weightIn(doc) ?? []) : []
    if (doc && weights.length === remaining.length) {
      checked.set(post.id, { ...post, weight: weights.reduce((sum, weight) => sum + weight, post.weight) })
    }
  }
  return checked
}
