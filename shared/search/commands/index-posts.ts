// Bringing the index in line with some posts as they are now. Each step may be the last one and all may be run again:
// what the index may hold of a post is noted before a term is touched, and what it does hold once all are written.
import { isDeepStrictEqual } from 'node:util'
import { findPostWithBody } from '../../posts/store/bodies.ts'
import type { Table } from '../../table/client.ts'
import { mapConcurrently } from '../../table/concurrency.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { type Doc, isIndexed, postingsOf } from '../doc.ts'
import { docInTime } from '../doc-in-time.ts'
import type { Posting } from '../posting.ts'
import { findDoc, findUnindexed, type StoredDoc } from '../store/docs.ts'
import { type Changes, changeTerms } from './change-terms.ts'
import { saveDoc } from './save-doc.ts'
import { dropUnindexed } from './tombstones.ts'
import { asWriter } from './writer-lock.ts'

/** Brings the index in line with these posts. Throws the problem of the first for which it failed. */
export function indexPosts(table: Table, postIds: number[], nowMs: number): Promise<void> {
  return retryOnConflict(async () => {
    for (const problem of (await indexEach(table, postIds, nowMs)).values()) throw problem
  })
}

const POSTS_AT_ONCE = 10

/**
 * Posts that come together share most of their terms, and each term is written once for all of them. The answer is
 * the posts for which it failed, each with its problem: none of them keeps the others from being done.
 */
export async function indexEach(table: Table, postIds: number[], nowMs: number): Promise<Problems> {
  const problems: Problems = new Map()
  const startedMs = performance.now()
  const posts = [...new Set(postIds)].map(id => ({ id }))
  const seen = await forEach(posts, problems, ({ id }) => look(table, id))
  const different = seen.filter(post => !isRight(post))
  // The claim on the index begins now: looking at long posts takes seconds.
  await follow(table, different, nowMs + Math.floor(performance.now() - startedMs), problems).catch(
    problem => {
      for (const { id } of different) problems.set(id, problem)
    },
  )
  const followed = seen.filter(({ id }) => !problems.has(id))
  await forEach(followed, problems, post => findAgain(table, post))
  return problems
}

/** By post. */
type Problems = Map<number, unknown>

/** What fails is a problem of its post alone, and left out of the answer. */
async function forEach<T extends { id: number }, R>(
  posts: T[],
  problems: Problems,
  act: (post: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  await mapConcurrently(posts, POSTS_AT_ONCE, async post => {
    try {
      results.push(await act(post))
    } catch (problem) {
      problems.set(post.id, problem)
    }
  })
  return results
}

async function follow(table: Table, different: Seen[], nowMs: number, problems: Problems): Promise<void> {
  if (different.length === 0) return
  await asWriter(table, nowMs, async hold => {
    const open = await forEach(different, problems, post => hold(() => noteBefore(table, post, nowMs)))
    await changeTerms(table, changesOf(open), hold)
    await forEach(open, problems, post => hold(() => noteAfter(table, post, nowMs)))
  })
}

export type Seen = {
  id: number
  /** The record's; without one it is gone for good. */
  revision: number
  /** As it should be indexed, null for not at all. */
  doc: Doc | null
  noted: StoredDoc
  unindexed: number | undefined
}

export async function look(table: Table, id: number): Promise<Seen> {
  const [found, noted, unindexed] = await Promise.all([
    findPostWithBody(table, id),
    findDoc(table, id),
    findUnindexed(table, id),
  ])
  const doc = found && isIndexed(found.post) ? docInTime(found.post, found.body) : null
  return { id, revision: found?.post.revision ?? Infinity, doc, noted, unindexed }
}

export function wanted({ doc }: Seen): Doc[] {
  return doc ? [doc] : []
}

function isRight(post: Seen): boolean {
  return post.noted.state === 'whole' && isDeepStrictEqual(post.noted.docs, wanted(post))
}

/** Nothing is left to be done for it. */
export function isFollowed(post: Seen): boolean {
  return isRight(post) && post.unindexed === undefined
}

/** Throws Refused when somebody else took notes of the post since it was looked at. */
async function noteBefore(table: Table, post: Seen, nowMs: number): Promise<Seen> {
  const known = post.noted.docs.some(doc => isDeepStrictEqual(doc, post.doc))
  const docs = known ? post.noted.docs : [...post.noted.docs, ...wanted(post)]
  const { stored } = await saveDoc(table, post.id, { state: 'open', docs }, post.noted, nowMs)
  // What was whole before is known to be there: only what differs is written.
  return { ...post, noted: { ...post.noted, stored } }
}

async function noteAfter(table: Table, post: Seen, nowMs: number): Promise<void> {
  await saveDoc(table, post.id, { state: 'whole', docs: wanted(post) }, post.noted, nowMs)
}

async function findAgain(table: Table, { id, revision, unindexed }: Seen): Promise<void> {
  if (unindexed !== undefined && unindexed <= revision) await dropUnindexed(table, id, unindexed)
}

const NONE: Map<string, Posting> = new Map()

/** What is to be done in each term, of all posts together. */
function changesOf(posts: Seen[]): Changes {
  const changes: Changes = new Map()
  for (const { doc, noted } of posts) {
    const before = noted.docs.map(postingsOf)
    const after = doc ? postingsOf(doc) : NONE
    for (const term of new Set([...before.flatMap(postings => [...postings.keys()]), ...after.keys()])) {
      const remove = before.flatMap(postings => postings.get(term) ?? [])
      const add = [after.get(term) ?? []].flat()
      if (noted.state === 'whole' && isDeepStrictEqual(remove, add)) continue
      const change = changes.get(term) ?? { remove: [], add: [] }
      changes.set(term, { remove: change.remove.concat(remove), add: change.add.concat(add) })
    }
  }
  return changes
}
