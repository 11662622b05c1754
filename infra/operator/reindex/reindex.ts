// Rebuilds the search index while the service runs: index workers wait, then index newer changes.
import { itemsOfList } from '../../../shared/search/commands/posting-list-actions.ts'
import { kindOf } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Context } from '../command.ts'
import { scan } from '../doctor/scan.ts'
import { openEstimate } from '../estimate.ts'
import { findPostIds, markIndexed, markRebuilding } from './mark-posts.ts'
import { acquireRebuildLock, type RebuildLock } from './rebuild-lock.ts'
import { openSpill, type Spill } from './spill.ts'

export type ReindexResult = { posts: number; terms: number; postings: number }

const ITEMS_AT_ONCE = 500

/**
 * If it is interrupted, the posts stay marked as being rebuilt and the next reindex starts over. Throws
 * OperatorError while another one is running.
 */
export async function reindex(context: Context): Promise<ReindexResult> {
  const lock = await acquireRebuildLock(context.target.table, context.nowMs)
  try {
    const ids = await findPostIds(context, lock)
    await using spill = await openSpill(ids.size)
    const marked = await markRebuilding(context, ids, spill, lock)
    const written = await writeTerms(context, spill, lock)
    await removeOldTerms(context, lock)
    await markIndexed(context, marked, lock)
    return { posts: marked.filter(({ isIndexed }) => isIndexed).length, ...written }
  } finally {
    await lock.release()
  }
}

async function writeTerms(
  { target: { table }, progress }: Context,
  spill: Spill,
  { build, renew }: RebuildLock,
): Promise<{ terms: number; postings: number }> {
  const written = { terms: 0, postings: 0 }
  let file = 0
  const left = openEstimate(() => performance.now())
  for await (const terms of spill.read()) {
    file++
    let items: Item[] = []
    for (const [term, postings] of terms) {
      for (const item of itemsOfList(term, postings)) items.push({ ...item, build })
      written.terms++
      written.postings += postings.length
      if (items.length < ITEMS_AT_ONCE) continue
      await renew()
      await table.putMany(items)
      items = []
      progress.show(
        `Wrote ${written.terms} terms, part ${file} of ${spill.files}${left(file - 1, spill.files)}`,
      )
    }
    await renew()
    await table.putMany(items)
  }
  return written
}

/** Removes the terms and blocks that this rebuild did not write: no post contains them now. */
async function removeOldTerms(
  { target: { table, documents, tableName }, progress }: Context,
  { build, renew }: RebuildLock,
): Promise<void> {
  let read = 0
  let removed = 0
  for await (const items of scan(documents, tableName)) {
    const outdated = items.filter(item => isOfIndex(item) && item.build !== build)
    await renew()
    await table.removeMany(outdated.map(({ pk, sk }): Key => ({ pk, sk })))
    read += items.length
    removed += outdated.length
    progress.show(`Read ${read} items again, removed ${removed} of the old index`)
  }
}

function isOfIndex({ pk }: Item): boolean {
  return kindOf(pk) === 'TERM' || kindOf(pk) === 'POSTINGS'
}
