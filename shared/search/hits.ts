// Finds one page of the hits of a search in rank order, and their number.
import type { Table } from '../table/client.ts'
import { readConsistently } from '../table/retrying.ts'
import { isOfTypes, readClauses, type SearchedTypes, unreadClause } from './clauses.ts'
import { keptDocumentsOf, readPendingDocuments } from './documents.ts'
import { readIndexState } from './index-state.ts'
import { findMatches } from './matches.ts'
import { planPage, takePage } from './page-plan.ts'
import { planPendingReads } from './pending.ts'
import { byRank, type Posting } from './posting.ts'
import { readBlocks, SegmentDeleted } from './segment-reader.ts'

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

/** How many words have their lists read: the longest, which are mostly the rarest. */
const MAX_WORDS_READ = 16

/** The read units of the pending documents that a search looks through, and then keeps in memory. */
export const MAX_PENDING_UNITS = 200

/** Throws VALIDATION_ERROR for a search of many words of which none is rare. */
export async function findHits(
  table: Table,
  request: SearchRequest,
  maxPendingUnits = MAX_PENDING_UNITS,
): Promise<Hits> {
  if (request.words.length === 0) return { ids: [], total: 0 }
  return await readConsistently('The search index', table, table =>
    tryToFindHits(table, request, maxPendingUnits).catch(error => {
      if (error instanceof SegmentDeleted) return undefined
      throw error
    }),
  )
}

/** Undefined, or SegmentDeleted, if the index was merged further than the state that was read. */
async function tryToFindHits(
  table: Table,
  request: SearchRequest,
  maxPendingUnits: number,
): Promise<Hits | undefined> {
  const { words, categoryId, nowSeconds } = request
  const longestFirst = words.toSorted((a, b) => b.length - a.length)
  const wordsToRead = longestFirst.slice(0, MAX_WORDS_READ)
  const { manifest, pending } = await readIndexState(table, nowSeconds)
  const { posts, hidden } = planPendingReads(pending, maxPendingUnits)
  const reading = readPendingDocuments(table, posts, keptDocumentsOf(table)).then(read =>
    read.every(one => one !== undefined) ? read : undefined,
  )
  const [changes, fromSegments] = await Promise.all([
    reading,
    readClauses(table, { words: wordsToRead, categoryId }, manifest?.segments ?? [], { reading, hidden }),
  ])
  if (!changes) return undefined
  const clauses = [...fromSegments, ...longestFirst.slice(wordsToRead.length).map(unreadClause)]
  const [rarest] = clauses
  const plan = rarest && clauses.length === 1 ? planPage(rarest, request) : undefined
  if (plan) {
    const refs = plan.blocks.map(({ list, index }) => ({ segment: list.segment, n: list.first + index }))
    const read = (await readBlocks(table, refs)).flat()
    return { ids: idsOf(takePage(plan, read)), total: plan.total }
  }
  const docs = new Map(changes.flatMap(({ after }) => (after ? [[after.id, after]] : [])))
  const matches = await findMatches({ table, pending: docs }, clauses)
  const ranked = [...matches.values()].filter(post => isOfTypes(request.types, post)).sort(byRank)
  return { ids: idsOf(ranked.slice(request.skip, request.skip + request.take)), total: ranked.length }
}

function idsOf(postings: Posting[]): number[] {
  return postings.map(({ id }) => id)
}
