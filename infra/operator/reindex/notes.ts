// What the index holds of each post, noted before its terms are written anew and after.
import { isDeepStrictEqual } from 'node:util'
import { indexMessage } from '../../../shared/search/doc.ts'
import { findDoc, saveDoc } from '../../../shared/search/doc-store.ts'
import { look, wanted } from '../../../shared/search/index-posts.ts'
import { kindOf, nameIn, postKey } from '../../../shared/table/design.ts'
import { sideBySide } from '../../../shared/table/side-by-side.ts'
import type { Context } from '../command.ts'
import { scan } from '../doctor/scan.ts'
import type { Spill } from './spill.ts'

const POSTS_AT_ONCE = 16
/** The claim is prolonged after so many. */
const CLAIMED_POSTS = 500

export type NotedPost = {
  id: number
  isIndexed: boolean
  /** Of the note; undefined where a run has the post in its hands, and its notes were not touched. */
  stamp: string | undefined
}

/** Every post, and every one that the index knows. */
export const postsToSee = async ({ target, progress }: Context): Promise<Set<number>> => {
  const ids = new Set<number>()
  let read = 0
  for await (const items of scan(target.documents, target.tableName)) {
    for (const { pk, sk } of items)
      if (kindOf(pk) === 'DOC' || sk === postKey(0).sk) ids.add(Number(nameIn(pk)))
    read += items.length
    progress.say(`Read ${read} items, found ${ids.size} posts`)
  }
  return ids
}

export const noteBefore = async (
  { target: { table }, nowMs, progress }: Context,
  ids: Set<number>,
  spill: Spill,
  claim: () => Promise<void>,
): Promise<NotedPost[]> => {
  const noted: NotedPost[] = []
  await sideBySide(ids, POSTS_AT_ONCE, async id => {
    const seen = await look(table, id)
    if (seen.doc) await spill.add(seen.doc)
    const others = seen.noted.docs.filter(doc => !isDeepStrictEqual(doc, seen.doc))
    const docs = [...others, ...wanted(seen)]
    if (docs.length === 0) return
    const saved =
      seen.noted.state !== 'open' &&
      (await saveDoc(table, id, { state: 'rebuilding', docs }, seen.noted, nowMs))
    noted.push({ id, isIndexed: seen.doc !== null, stamp: saved ? saved.stored?.stamp : undefined })
    if (noted.length % CLAIMED_POSTS === 0) await claim()
    progress.say(`Read the words of ${noted.length} of ${ids.size} posts`)
  })
  return noted
}

/** What a run had in its hands meanwhile, a run looks at once more. */
export const noteAfter = async (
  { target: { table, sender }, nowMs, progress }: Context,
  noted: NotedPost[],
  claim: () => Promise<void>,
): Promise<void> => {
  let done = 0
  await sideBySide(noted, POSTS_AT_ONCE, async ({ id, isIndexed, stamp }) => {
    const found = await findDoc(table, id)
    const docs = isIndexed ? found.docs.slice(-1) : []
    if (stamp !== undefined && found.stored?.stamp === stamp)
      await saveDoc(table, id, { state: 'whole', docs }, found, nowMs)
    else await sender.send([indexMessage(id)])
    if (++done % CLAIMED_POSTS === 0) await claim()
    progress.say(`Noted ${done} of ${noted.length} posts as indexed`)
  })
}
