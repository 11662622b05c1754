// Bringing the index in line with some posts as they are now. Each step may be the last one and all may be run again:
// what the index may hold of a post is noted before a term is touched, and what it does hold once all are written.
import { isDeepStrictEqual } from 'node:util'
import { textOf } from '../posts/html-text.ts'
import { findPostWithBody } from '../posts/store.ts'
import { Refused, STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { deciding } from '../table/deciding.ts'
import { isConflict } from '../table/retrying.ts'
import { type Doc, docOf, isIndexed, postingsOf } from './doc.ts'
import { dropUnindexed, findDoc, findUnindexed, type StoredDoc, saveDoc } from './doc-store.ts'
import type { Posting } from './posting.ts'
import { untilRebuilt } from './rebuilding.ts'
import { type Changes, changeTerms } from './term-store.ts'

/**
 * Posts that come together share most of their terms, and each term is written once for all of them. One writer
 * at a time has a post: the queue's groups see to that.
 */
export const indexPosts = (table: Table, postIds: number[], nowMs: number): Promise<void> =>
  deciding(() => follow(table, postIds, nowMs))

/**
 * Throws Refused when somebody else took notes of one of the posts meanwhile: the owner's reindex. That waits for
 * posts whose notes are open, so those are brought to their end first.
 */
const follow = async (table: Table, postIds: number[], nowMs: number): Promise<void> => {
  const seen = await Promise.all([...new Set(postIds)].map(id => look(table, id)))
  const different = seen.filter(post => !isRight(post))
  await untilRebuilt(table, nowMs)
  const open = (await Promise.all(different.map(post => noteBefore(table, post, nowMs)))).flat()
  await changeTerms(table, changesOf(open))
  await Promise.all(open.map(post => noteAfter(table, post, nowMs)))
  if (open.length < different.length) throw new Refused([STALE])
  await Promise.all(seen.map(post => findAgain(table, post)))
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

export const look = async (table: Table, id: number): Promise<Seen> => {
  const [found, noted, unindexed] = await Promise.all([
    findPostWithBody(table, id),
    findDoc(table, id),
    findUnindexed(table, id),
  ])
  const doc = found && isIndexed(found.post) ? docOf(found.post, textOf(found.body)) : null
  return { id, revision: found?.post.revision ?? Infinity, doc, noted, unindexed }
}

export const wanted = ({ doc }: Seen): Doc[] => (doc ? [doc] : [])

const isRight = (post: Seen): boolean =>
  post.noted.state === 'whole' && isDeepStrictEqual(post.noted.docs, wanted(post))

/** Nothing is left to be done for it. */
export const isFollowed = (post: Seen): boolean => isRight(post) && post.unindexed === undefined

/** None where somebody else was faster. */
const noteBefore = async (table: Table, post: Seen, nowMs: number): Promise<Seen[]> => {
  const known = post.noted.docs.some(doc => isDeepStrictEqual(doc, post.doc))
  const docs = known ? post.noted.docs : [...post.noted.docs, ...wanted(post)]
  try {
    const { stored } = await saveDoc(table, post.id, { state: 'open', docs }, post.noted, nowMs)
    // What was whole before is known to be there: only what differs is written.
    return [{ ...post, noted: { ...post.noted, stored } }]
  } catch (error) {
    if (error instanceof Refused || isConflict(error)) return []
    throw error
  }
}

const noteAfter = async (table: Table, post: Seen, nowMs: number): Promise<void> => {
  await saveDoc(table, post.id, { state: 'whole', docs: wanted(post) }, post.noted, nowMs)
}

const findAgain = async (table: Table, { id, revision, unindexed }: Seen): Promise<void> => {
  if (unindexed !== undefined && unindexed <= revision) await dropUnindexed(table, id, unindexed)
}

const NONE: Map<string, Posting> = new Map()

/** What is to be done in each term, of all posts together. */
const changesOf = (posts: Seen[]): Changes => {
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
