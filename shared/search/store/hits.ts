// Finds one page of the hits of a search in rank order, and their number.
import type { Table } from '../../table/client.ts'
import { readConsistently } from '../../table/retrying.ts'
import { isOfTypes, type SearchedTypes, wordClause } from '../clause.ts'
import type { SearchDocument } from '../document.ts'
import type { DocumentChange } from '../entry.ts'
import { planPage, takePage } from '../page-plan.ts'
import { planPendingReads } from '../pending.ts'
import { byRank, type Posting } from '../posting.ts'
import { MAX_WORDS } from '../query-plan.ts'
import { readClauses } from './clauses.ts'
import { PENDING_BOUNDS, type PendingBounds, readSearchedState } from './index-state.ts'
import { findMatches } from './matches.ts'
import { readPendingDocuments } from './pending-documents.ts'
import { readBlocks, SegmentDeleted } from './segment-items.ts'

export type SearchRequest = {
  /** From `queryWords`. Without words there are no hits. */
  words: string[]
  categoryId?: number | undefined
  types: SearchedTypes
  /** Scheduled posts are found from their second on. */
  nowSeconds: number
  skip: number
  take: number
}

export type Hits = { ids: number[]; total: number }

/** Of a longer search, only so many of its longest words are looked up: they are mostly the rarest. */
const MAX_WORDS_READ = 16

/** Throws VALIDATION_ERROR for a search of many words of which none is rare. */
export async function findHits(
  table: Table,
  request: SearchRequest,
  bounds: PendingBounds = PENDING_BOUNDS,
): Promise<Hits> {
  if (request.words.length === 0) return { ids: [], total: 0 }
  return await readConsistently('The search index', table, table =>
    tryToFindHits(table, request, bounds).catch(error => {
      if (error instanceof SegmentDeleted) return undefined
      throw error
    }),
  )
}

/** Undefined, or SegmentDeleted, if the index was merged further than the state that was read. */
async function tryToFindHits(
  table: Table,
  request: SearchRequest,
  bounds: PendingBounds,
): Promise<Hits | undefined> {
  const { words, categoryId, nowSeconds } = request
  const isBounded = words.length > MAX_WORDS
  const longestFirst = isBounded ? words.toSorted((a, b) => b.length - a.length) : words
  const wordsToRead = longestFirst.slice(0, isBounded ? MAX_WORDS_READ : MAX_WORDS)
  const { manifest, pending, hasAllMarkers } = await readSearchedState(table, bounds, nowSeconds)
  const { posts, hidden } = planPendingReads(pending, { hasAllMarkers, maxUnits: bounds.units })
  const reading = readPendingDocuments(table, posts)
  const segments = manifest?.segments ?? []
  const [changes, fromSegments] = await Promise.all([
    reading,
    readClauses(table, { words: wordsToRead, categoryId }, segments, { reading, hidden }),
  ])
  if (!changes) return undefined
  const otherWords = longestFirst.slice(wordsToRead.length)
  const clauses = [...fromSegments, ...otherWords.map(word => wordClause(word))]
  const [rarest] = clauses
  if (!rarest) return { ids: [], total: 0 }
  const plan = clauses.length === 1 ? planPage(rarest, request) : undefined
  if (plan) {
    const refs = plan.blocks.map(({ list, index }) => ({ segment: list.segment, n: list.first + index }))
    const read = (await readBlocks(table, refs)).flat()
    return { ids: idsOf(takePage(plan, read)), total: plan.total }
  }
  const matches = await findMatches({ table, pending: docsById(changes) }, clauses, isBounded)
  const ranked = [...matches.values()].filter(post => isOfTypes(request.types, post)).sort(byRank)
  return { ids: idsOf(ranked.slice(request.skip, request.skip + request.take)), total: ranked.length }
}

function idsOf(postings: Posting[]): number[] {
  return postings.map(({ id }) => id)
}

function docsById(changes: DocumentChange[]): Map<number, SearchDocument> {
  return new Map(changes.flatMap(({ after }) => (after ? [[after.id, after]] : [])))
}
