// Finds all posts that match a search. The rarest words are looked up in posting lists; once few posts match,
// their documents answer the other words.
import { invalid } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import type { Clause } from '../clause.ts'
import type { SearchDocument } from '../document.ts'
import { addHeaviest } from '../entry.ts'
import type { Posting } from '../posting.ts'
import { isCheaperByDocuments, MAX_DOCUMENTS, MAX_WORDS, stepsOf, withinBudget } from '../query-plan.ts'
import { findDocuments } from './documents.ts'
import { postingsOf } from './postings.ts'

type Search = { table: Table; pending: Map<number, SearchDocument> }

/** By the id of the post; `weight` is the sum of the weights of the clauses so far. */
type Matches = Map<number, Posting>

/** Throws VALIDATION_ERROR for many words of which none is rare. */
export async function findMatches(search: Search, clauses: Clause[], isBounded: boolean): Promise<Matches> {
  const remaining = new Set(clauses)
  let matches: Matches | undefined
  for (const step of stepsOf(isBounded ? withinBudget(clauses) : clauses)) {
    matches = await matchStep(search.table, step, matches)
    for (const clause of step) remaining.delete(clause)
    if (matches.size === 0 || isCheaperByDocuments(matches.size, remaining)) {
      return await checkDocuments(search, matches, [...remaining])
    }
  }
  if (matches && remaining.size === 0) return matches
  if (!matches || matches.size > MAX_DOCUMENTS) throw invalid({ q: [TOO_COMMON] })
  return await checkDocuments(search, matches, [...remaining])
}

const TOO_COMMON = `Must have at most ${MAX_WORDS} words, or one that is in few posts.`

/** `before`: the matches of earlier steps; undefined in the first one. */
async function matchStep(table: Table, step: Clause[], before: Matches | undefined): Promise<Matches> {
  const all = await Promise.all(step.map(clause => matchClause(table, clause, before)))
  const [first = new Map(), ...others] = before ? [before, ...all] : all
  return others.reduce(intersect, first)
}

/** The posts in any of the lists, unless a later source removes them, with their heaviest weight. */
async function matchClause(
  table: Table,
  { sources = [], isWeighted }: Clause,
  before: Matches | undefined,
): Promise<Matches> {
  const read = await Promise.all(
    sources.map(async ({ minus, plus, hidden }) => {
      const [removed, added] = await Promise.all(
        [minus, plus].map(lists => Promise.all(lists.map(list => postingsOf(table, list, before?.values())))),
      )
      return { removed: (removed ?? []).flat(), added: (added ?? []).flat(), hidden }
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
    const weights = doc ? remaining.flatMap(({ weightIn }) => weightIn(doc) ?? []) : []
    if (doc && weights.length === remaining.length) {
      checked.set(post.id, { ...post, weight: weights.reduce((sum, weight) => sum + weight, post.weight) })
    }
  }
  return checked
}
