// What the index holds of each post, noted before its terms are written anew and after.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { wanted } from '../../../shared/search/commands/index-posts.ts'
import { findDoc, saveDoc } from '../../../shared/search/store/docs.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { docKey, kindOf, nameIn, postKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { isBusy } from '../../../shared/table/retrying.ts'
import { type Context, OperatorError } from '../command.ts'
import { scan } from '../doctor/scan.ts'
import { openEstimate } from '../estimate.ts'
import type { Claim } from './claim.ts'
import { lookWhenFree } from './in-hand.ts'
import type { Spill } from './spill.ts'

const POSTS_AT_ONCE = 16

/** `stamp` is that of the note. */
export type NotedPost = { id: number; isIndexed: boolean; stamp: string | undefined }

/** Every post, and every one that the index knows. */
export async function postsToSee({ target, progress }: Context, { hold }: Claim): Promise<Set<number>> {
  const ids = new Set<number>()
  let read = 0
  for await (const items of scan(target.documents, target.tableName)) {
    for (const { pk, sk } of items) {
      if (kindOf(pk) === 'DOC' || sk === postKey(0).sk) ids.add(Number(nameIn(pk)))
    }
    await hold()
    read += items.length
    progress.say(`Read ${read} items, found ${ids.size} posts`)
  }
  return ids
}

/** Whoever begins a run from then on waits; those that had begun are waited for. */
export async function noteBefore(
  context: Context,
  ids: Set<number>,
  spill: Spill,
  claim: Claim,
): Promise<NotedPost[]> {
  const noted: NotedPost[] = []
  const left = openEstimate(() => performance.now())
  await mapConcurrently(ids, POSTS_AT_ONCE, async id => {
    await claim.hold()
    for (const post of await retryOnConflict(() => noteOne(context, id, spill, claim))) noted.push(post)
    context.progress.say(
      `Read the words of ${noted.length} of ${ids.size} posts${left(noted.length, ids.size)}`,
    )
  })
  return noted
}

/** Throws Refused when a run took notes of it meanwhile, OperatorError when its record cannot be read. None where there is nothing to note. */
async function noteOne(
  { target: { table }, nowMs }: Context,
  id: number,
  spill: Spill,
  { sinceMs, hold }: Claim,
): Promise<NotedPost[]> {
  const lookAtIt = () => lookWhenFree(table, id, sinceMs, hold)
  const seen = await lookAtIt().catch(async error => {
    if (await dropUnreadable(table, id)) return await lookAtIt()
    if (!(error instanceof z.core.$ZodError)) throw error
    throw new OperatorError(
      `Post ${id} cannot be read, and so its words are not known. The doctor says more.`,
    )
  })
  const others = seen.noted.docs.filter(doc => !isDeepStrictEqual(doc, seen.doc))
  const docs = [...others, ...wanted(seen)]
  if (docs.length === 0) return []
  const { stored } = await saveDoc(table, id, { state: 'rebuilding', docs }, seen.noted, nowMs)
  if (seen.doc) await spill.add(seen.doc)
  return [{ id, isIndexed: seen.doc !== null, stamp: stored?.stamp }]
}

/** Whether there was a note that cannot be read: it says nothing, and every term is written anew. */
async function dropUnreadable(table: Table, id: number): Promise<boolean> {
  try {
    await findDoc(table, id)
    return false
  } catch (error) {
    if (isBusy(error)) throw error
    await table.removeMany([docKey(id)])
    return true
  }
}

export async function noteAfter(
  { target: { table }, nowMs, progress }: Context,
  noted: NotedPost[],
  claim: Claim,
): Promise<void> {
  let done = 0
  const left = openEstimate(() => performance.now())
  await mapConcurrently(noted, POSTS_AT_ONCE, async ({ id, isIndexed, stamp }) => {
    await claim.hold()
    const found = await findDoc(table, id)
    if (found.stored?.stamp !== stamp) {
      throw new OperatorError(`Somebody else wrote the index of post ${id} meanwhile. Run it again.`)
    }
    const docs = isIndexed ? found.docs.slice(-1) : []
    await saveDoc(table, id, { state: 'whole', docs }, found, nowMs)
    progress.say(`Noted ${++done} of ${noted.length} posts as indexed${left(done, noted.length)}`)
  })
}
