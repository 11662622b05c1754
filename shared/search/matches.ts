// Finds all posts that match a search. The rarest words are looked up in posting lists; once few posts match,
// their documents answer the other words.
import { invalid } from '../http/errors.ts'
import type { Table } from '../table/client.ts'
import type { Clause } from './clauses.ts'
import type { SearchDocument } from './document.ts'
import { findDocuments } from './documents.ts'
import { addHeaviest } from './entry.ts'
import { isLarge, type Posting, type PostingList } from './posting.ts'
import { readBlocks } from './segment-reader.ts'

/** Up to this many words are all looked up in posting lists, however common they are. */
export const MAX_WORDS = 10
const MAX_CLAUSES = MAX_WORDS + 1

const POSTINGS_PER_UNIT = 2_500
/** Most have one unit. */
const MAX_DOCUMENTS = 40

/** Numbers of clauses to look up together, step by step: few hits of the rarest make the others cheaper. */
const STEPS = [1, 2, Infinity]

type Search = { table: Table; pending: Map<number, SearchDocument> }

/** By the id of the post; `weight` is the sum of the weights of the clauses so far. */
type Matches = Map<number, Posting>

/** Expects the rarest clause first. Throws VALIDATION_ERROR for many words of which none is rare. */
export async function findMatches(search: Search, clauses: Clause[]): Promise<Matches> {
  const remaining = new Set(clauses)
  let matches: Matches | undefined
  for (const step of stepsOf(clauses.slice(0, MAX_CLAUSES))) {
    matches = await matchStep(search.table, step, matches)
    for (const clause of step) remaining.delete(clause)
    if (matches.size === 0 || isCheaperByDocuments(matches.size, [...remaining])) {
      return await checkDocuments(search, matches, [...remaining])
    }
  }
  if (matches && remaining.size === 0) return matches
  if (!matches || matches.size > MAX_DOCUMENTS) throw invalid({ q: [TOO_COMMON] })
  return await checkDocuments(search, matches, [...remaining])
}

const TOO_COMMON = `Must have at most ${MAX_WORDS} words, or one that is in few posts.`

function stepsOf(clauses: Clause[]): Clause[][] {
  let from = 0
  return STEPS.map(size => {
    const step = clauses.slice(from, from + size)
    from += size
    return step
  }).filter(step => step.length > 0)
}

/** Whether all postings came with the lists. Those of a large list need another read. */
function hasPostings({ sources }: Clause): boolean {
  return sources?.every(({ minus, plus }) => ![...minus, ...plus].some(isLarge)) === true
}

/** Whether the documents of the posts cost less than the postings that the remaining clauses need. */
function isCheaperByDocuments(posts: number, remaining: Clause[]): boolean {
  const units = remaining
    .filter(clause => !hasPostings(clause))
    .reduce((sum, { count }) => sum + 1 + count / POSTINGS_PER_UNIT, 0)
  return posts <= MAX_DOCUMENTS && posts < units
}

/** `before`: the matches of earlier steps; undefined in the first one. */
async function matchStep(table: Table, step: Clause[], before: Matches | undefined): Promise<Matches> {
  const all = await Promise.all(step.map(clause => matchClause(table, clause)))
  const [first = new Map(), ...others] = before ? [before, ...all] : all
  return others.reduce(intersect, first)
}

/** The posts in any of the lists, unless a later source removes them, with their heaviest weight. */
async function matchClause(table: Table, { sources = [], isWeighted }: Clause): Promise<Matches> {
  const readAll = async (lists: PostingList[]) =>
    (await Promise.all(lists.map(list => postingsOf(table, list)))).flat()
  const read = await Promise.all(
    sources.map(async ({ minus, plus, hidden }) => {
      const [removed, added] = await Promise.all([readAll(minus), readAll(plus)])
      return { removed, added, hidden }
    }),
  )
  const matches: Matches = new Map()
  for (const { removed, added, hidden = [] } of read) {
    for (const { id } of removed) matches.delete(id)
    for (const id of hidden) matches.delete(id)
    const own: Matches = new Map()
    for (const posting of added) addHeaviest(own, posting)
    for (const posting of own.values()) {
      matches.set(posting.id, { ...posting, weight: isWeighted ? posting.weight : 0 })
    }
  }
  return matches
}

async function postingsOf(table: Table, list: PostingList): Promise<Posting[]> {
  if (!isLarge(list)) return list.postings
  const refs = list.blocks.map((_, n) => ({ segment: list.segment, n: list.first + n }))
  return (await readBlocks(table, refs)).flat()
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
async function checkDocuments(
  { table, pending }: Search,
  matches: Matches,
  remaining: Clause[],
): Promise<Matches> {
  if (remaining.length === 0) return matches
  const docs = await findDocuments(
    table,
    [...matches.keys()].filter(id => !pending.has(id)),
  )
  const checked: Matches = new Map()
  for (const post of matches.values()) {
    const doc = pending.get(post.id) ?? docs.get(post.id)
    if (!doc) continue
    let { weight } = post
    const isMatch = remaining.every(clause => {
      const own = clause.weightIn(doc)
      weight += clause.isWeighted ? (own ?? 0) : 0
      return own !== undefined
    })
    if (isMatch) checked.set(post.id, { ...post, weight })
  }
  return checked
}
