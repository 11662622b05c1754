// Compares the postings in all segments with the documents that they must contain, while the service runs.
import type { PendingPost } from '../../../shared/search/pending.ts'
import { docName, findDocsAt } from '../../../shared/search/store/documents.ts'
import { type IndexState, readIndexState } from '../../../shared/search/store/index-state.ts'
import { entriesOfSegment } from '../../../shared/search/store/segment-entries.ts'
import { SegmentDeleted } from '../../../shared/search/store/segment-items.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently, slices } from '../../../shared/table/concurrency.ts'
import { docKey, replacedDocKey } from '../../../shared/table/design.ts'
import { readConsistently } from '../../../shared/table/read-consistently.ts'
import { isBusy } from '../../../shared/table/retrying.ts'
import { addPosting, sumOfDocument } from './index-sums.ts'

/** By post id: the sum over its postings in the segments. */
type Sums = Map<number, number>

export type WrongSegments = {
  /** Posts of which the segments have other words than their documents. */
  posts: number[]
  /** Names of segments that cannot be read. */
  unreadable: string[]
}

/**
 * `sums`: of the documents, as one scan found them. A post that differs is compared again with what the
 * segments must have of it at one moment.
 */
export async function wrongSegments(table: Table, sums: Sums): Promise<WrongSegments> {
  const first = await sumSegments(table)
  if (first.unreadable.length > 0) return { posts: [], unreadable: first.unreadable }
  const ids = new Set([...sums.keys(), ...first.sums.keys()])
  const suspected = [...ids].filter(id => (sums.get(id) ?? 0) !== (first.sums.get(id) ?? 0))
  if (suspected.length === 0) return { posts: [], unreadable: [] }
  const second = await sumSegments(table)
  const expected = await expectedSums(table, second.state, suspected)
  const isWrong = (id: number) => expected.has(id) && expected.get(id) !== (second.sums.get(id) ?? 0)
  return { posts: suspected.filter(isWrong), unreadable: second.unreadable }
}

type SegmentSums = { state: IndexState; sums: Sums; unreadable: string[] }

/** Reads all segments of one manifest. If a merge deletes one, reads those of the next manifest. */
function sumSegments(table: Table): Promise<SegmentSums> {
  return readConsistently('The search index', table, async table => {
    const state = await readIndexState(table)
    const sums: Sums = new Map()
    const unreadable: string[] = []
    for (const segment of state.manifest?.segments ?? []) {
      try {
        for await (const { term, plus, minus } of entriesOfSegment(table, segment)) {
          for (const one of plus) sums.set(one.id, addPosting(sums.get(one.id) ?? 0, term, one, 1))
          for (const one of minus) sums.set(one.id, addPosting(sums.get(one.id) ?? 0, term, one, -1))
        }
      } catch (error) {
        if (isBusy(error)) throw error
        if (error instanceof SegmentDeleted && !(await isLive(table, segment.name))) return undefined
        unreadable.push(segment.name)
      }
    }
    return { state, sums, unreadable }
  })
}

async function isLive(table: Table, name: string): Promise<boolean> {
  return (await readIndexState(table)).manifest?.segments.some(segment => segment.name === name) === true
}

/** Without the posts that have changed since the state was read. */
async function expectedSums(table: Table, state: IndexState, ids: number[]): Promise<Sums> {
  const pending = new Map(state.pending.map(post => [post.id, post]))
  const expected: Sums = new Map()
  await mapConcurrently(slices(ids, POSTS_AT_ONCE), 1, async some => {
    const docs = await findDocsAt(
      table,
      some.map(id => keyOfMerged(id, pending.get(id))),
    )
    const now = await readIndexState(table)
    const changed = new Set(now.pending.map(({ id }) => id))
    for (const id of some) {
      const before = pending.get(id)
      if (!before && changed.has(id)) continue
      const doc = docs.get(docName(keyOfMerged(id, before)))?.doc
      const hasDocument = before ? before.merged !== undefined : true
      expected.set(id, doc && hasDocument ? sumOfDocument(doc) : 0)
    }
  })
  return expected
}

const POSTS_AT_ONCE = 100

/** Where the document is that the segments contain. */
function keyOfMerged(id: number, pending: PendingPost | undefined) {
  return pending ? replacedDocKey(id, pending.merged ?? 0) : docKey(id)
}
