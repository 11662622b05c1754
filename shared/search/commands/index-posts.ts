// Updates the index for some posts. A run may stop at any step and be repeated: a record is marked as pending
// before its posting lists are updated, and as indexed afterwards.
import { isDeepStrictEqual } from 'node:util'
import { findPostWithBody } from '../../posts/store/bodies.ts'
import type { Table } from '../../table/client.ts'
import { mapConcurrently } from '../../table/concurrency.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { belongsInIndex, postingsOf, type SearchDocument } from '../document.ts'
import type { Posting } from '../posting.ts'
import { findIndexRecord, findTombstone, type StoredIndexRecord } from '../store/index-record.ts'
import { documentWithTimeLimit } from '../time-limit.ts'
import { saveIndexRecord } from './save-index-record.ts'
import { deleteTombstone } from './tombstones.ts'
import { type ChangesByTerm, updatePostingLists } from './update-posting-lists.ts'
import { withWriterLock } from './writer-lock.ts'

/** Throws the error of the first post that could not be indexed. */
export function indexPosts(table: Table, postIds: number[], nowMs: number): Promise<void> {
  return retryOnConflict(async () => {
    for (const error of (await indexEach(table, postIds, nowMs)).values()) throw error
  })
}

const POSTS_AT_ONCE = 10

/** Returns the errors of posts that failed; the others are indexed. Writes shared posting lists once. */
export async function indexEach(table: Table, postIds: number[], nowMs: number): Promise<Errors> {
  const errors: Errors = new Map()
  const startedMs = performance.now()
  const posts = [...new Set(postIds)].map(id => ({ id }))
  const states = await forEach(posts, errors, ({ id }) => readState(table, id))
  const outdated = states.filter(post => !hasExpectedDocuments(post))
  // The lock lasts from now on, because reading long posts takes seconds.
  const lockedAtMs = nowMs + Math.floor(performance.now() - startedMs)
  await updateOutdated(table, outdated, lockedAtMs, errors).catch(error => {
    for (const { id } of outdated) errors.set(id, error)
  })
  const successful = states.filter(({ id }) => !errors.has(id))
  await forEach(successful, errors, post => clearTombstone(table, post))
  return errors
}

/** By post id. */
type Errors = Map<number, unknown>

/** The results of the posts for which `act` did not fail. */
async function forEach<T extends { id: number }, R>(
  posts: T[],
  errors: Errors,
  act: (post: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  await mapConcurrently(posts, POSTS_AT_ONCE, async post => {
    try {
      results.push(await act(post))
    } catch (error) {
      errors.set(post.id, error)
    }
  })
  return results
}

async function updateOutdated(
  table: Table,
  outdated: PostState[],
  nowMs: number,
  errors: Errors,
): Promise<void> {
  if (outdated.length === 0) return
  await withWriterLock(table, nowMs, async runLocked => {
    const pending = await forEach(outdated, errors, post => runLocked(() => markPending(table, post, nowMs)))
    await updatePostingLists(table, changesOf(pending), runLocked)
    await forEach(pending, errors, post => runLocked(() => markIndexed(table, post, nowMs)))
  })
}

export type PostState = {
  id: number
  /** The revision of the post; Infinity if it was deleted. */
  revision: number
  /** The document that the index must contain; null if none. */
  doc: SearchDocument | null
  record: StoredIndexRecord
  /** The revision in the tombstone. */
  tombstone: number | undefined
}

export async function readState(table: Table, id: number): Promise<PostState> {
  const [stored, record, tombstone] = await Promise.all([
    findPostWithBody(table, id),
    findIndexRecord(table, id),
    findTombstone(table, id),
  ])
  const doc = stored && belongsInIndex(stored.post) ? documentWithTimeLimit(stored.post, stored.body) : null
  return { id, revision: stored?.post.revision ?? Infinity, doc, record, tombstone }
}

export function expectedDocuments({ doc }: PostState): SearchDocument[] {
  return doc ? [doc] : []
}

function hasExpectedDocuments(post: PostState): boolean {
  return post.record.state === 'indexed' && isDeepStrictEqual(post.record.docs, expectedDocuments(post))
}

export function isUpToDate(post: PostState): boolean {
  return hasExpectedDocuments(post) && post.tombstone === undefined
}

/** Throws ConditionFailed when another writer, a reindex, has written the record since it was read. */
async function markPending(table: Table, post: PostState, nowMs: number): Promise<PostState> {
  const isListed = post.record.docs.some(doc => isDeepStrictEqual(doc, post.doc))
  const docs = isListed ? post.record.docs : [...post.record.docs, ...expectedDocuments(post)]
  const { stored } = await saveIndexRecord(table, post.id, { state: 'pending', docs }, post.record, nowMs)
  // Keeps the earlier state: if it was `indexed`, only the postings that differ have to be written.
  return { ...post, record: { ...post.record, stored } }
}

async function markIndexed(table: Table, post: PostState, nowMs: number): Promise<void> {
  const record = { state: 'indexed' as const, docs: expectedDocuments(post) }
  await saveIndexRecord(table, post.id, record, post.record, nowMs)
}

async function clearTombstone(table: Table, { id, revision, tombstone }: PostState): Promise<void> {
  if (tombstone !== undefined && tombstone <= revision) await deleteTombstone(table, id, tombstone)
}

const NO_POSTINGS: Map<string, Posting> = new Map()

/** The changes of all posts by term. */
function changesOf(posts: PostState[]): ChangesByTerm {
  const changes: ChangesByTerm = new Map()
  for (const { doc, record } of posts) {
    const before = record.docs.map(postingsOf)
    const after = doc ? postingsOf(doc) : NO_POSTINGS
    for (const term of new Set([...before.flatMap(postings => [...postings.keys()]), ...after.keys()])) {
      const remove = before.flatMap(postings => postings.get(term) ?? [])
      const add = [after.get(term) ?? []].flat()
      if (record.state === 'indexed' && isDeepStrictEqual(remove, add)) continue
      const change = changes.get(term) ?? { remove: [], add: [] }
      changes.set(term, { remove: change.remove.concat(remove), add: change.add.concat(add) })
    }
  }
  return changes
}
