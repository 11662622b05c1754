// Marks each post as being rebuilt before its terms are written, and as indexed after.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { expectedDocuments } from '../../../shared/search/commands/index-posts.ts'
import { saveIndexRecord } from '../../../shared/search/commands/save-index-record.ts'
import { findIndexRecord } from '../../../shared/search/store/index-record.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { docKey, kindOf, nameIn, postKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { isBusy } from '../../../shared/table/retrying.ts'
import type { Context } from '../command.ts'
import { scan } from '../doctor/scan.ts'
import { openEstimate } from '../estimate.ts'
import { OperatorError } from '../operator-error.ts'
import { readWhenFree } from './read-when-free.ts'
import type { RebuildLock } from './rebuild-lock.ts'
import type { Spill } from './spill.ts'

const POSTS_AT_ONCE = 16

/** `stamp` is the version of the mark; `isIndexed`: the post is public, so that its terms are written. */
export type MarkedPost = { id: number; isIndexed: boolean; stamp: string | undefined }

/** The ids of all posts, and of deleted ones that the index still has. */
export async function findPostIds(
  { target, progress }: Context,
  { renew }: RebuildLock,
): Promise<Set<number>> {
  const ids = new Set<number>()
  let read = 0
  for await (const items of scan(target.documents, target.tableName)) {
    for (const { pk, sk } of items) {
      if (kindOf(pk) === 'DOC' || sk === postKey(0).sk) ids.add(Number(nameIn(pk)))
    }
    await renew()
    read += items.length
    progress.show(`Read ${read} items, found ${ids.size} posts`)
  }
  return ids
}

/** Waits for runs of the index worker that started earlier. Later runs wait for the lock. */
export async function markRebuilding(
  context: Context,
  ids: Set<number>,
  spill: Spill,
  lock: RebuildLock,
): Promise<MarkedPost[]> {
  const marked: MarkedPost[] = []
  const left = openEstimate(() => performance.now())
  await mapConcurrently(ids, POSTS_AT_ONCE, async id => {
    await lock.renew()
    for (const post of await retryOnConflict(() => markOne(context, id, spill, lock))) marked.push(post)
    context.progress.show(
      `Read the words of ${marked.length} of ${ids.size} posts${left(marked.length, ids.size)}`,
    )
  })
  return marked
}

/** Empty if the post is neither public nor indexed. Throws ConditionFailed on a concurrent mark. */
async function markOne(
  { target: { table }, nowMs }: Context,
  id: number,
  spill: Spill,
  { sinceMs, renew }: RebuildLock,
): Promise<MarkedPost[]> {
  const readPost = () => readWhenFree(table, id, sinceMs, renew)
  const post = await readPost().catch(async error => {
    if (await removeUnreadable(table, id)) return await readPost()
    if (!(error instanceof z.core.$ZodError)) throw error
    throw new OperatorError(`Post ${id} cannot be read, so it cannot be indexed. Run the doctor for details.`)
  })
  const others = post.record.docs.filter(doc => !isDeepStrictEqual(doc, post.doc))
  const docs = [...others, ...expectedDocuments(post)]
  if (docs.length === 0) return []
  const { stored } = await saveIndexRecord(table, id, { state: 'rebuilding', docs }, post.record, nowMs)
  if (post.doc) await spill.add(post.doc)
  return [{ id, isIndexed: post.doc !== null, stamp: stored?.stamp }]
}

/** Removes an unreadable document, since every term is rewritten anyway. Returns whether there was one. */
async function removeUnreadable(table: Table, id: number): Promise<boolean> {
  try {
    await findIndexRecord(table, id)
    return false
  } catch (error) {
    if (isBusy(error)) throw error
    await table.removeMany([docKey(id)])
    return true
  }
}

export async function markIndexed(
  { target: { table }, nowMs, progress }: Context,
  marked: MarkedPost[],
  lock: RebuildLock,
): Promise<void> {
  let done = 0
  const left = openEstimate(() => performance.now())
  await mapConcurrently(marked, POSTS_AT_ONCE, async ({ id, isIndexed, stamp }) => {
    await lock.renew()
    const record = await findIndexRecord(table, id)
    if (record.stored?.stamp !== stamp) {
      throw new OperatorError(`Another process wrote the index of post ${id}. Run reindex again.`)
    }
    const docs = isIndexed ? record.docs.slice(-1) : []
    await saveIndexRecord(table, id, { state: 'indexed', docs }, record, nowMs)
    progress.show(`Marked ${++done} of ${marked.length} posts as indexed${left(done, marked.length)}`)
  })
}
