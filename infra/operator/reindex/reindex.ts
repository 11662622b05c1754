// The whole index anew, beside the running service: its runs wait until it is done and then bring what is new.
import { itemsOf } from '../../../shared/search/term-actions.ts'
import { kindOf } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import type { Context } from '../command.ts'
import { scan } from '../doctor/scan.ts'
import { openEstimate } from '../estimate.ts'
import { type Claim, claimIndex } from './claim.ts'
import { noteAfter, noteBefore, postsToSee } from './notes.ts'
import { openSpill, type Spill } from './spill.ts'

export type Reindexed = { posts: number; terms: number; postings: number }

const ITEMS_AT_ONCE = 500

/**
 * Broken off anywhere, it is begun anew: the notes of its posts say so until then. Throws OperatorError while
 * another one is under way.
 */
export async function reindex(context: Context): Promise<Reindexed> {
  const claim = await claimIndex(context.target.table, context.nowMs)
  try {
    const ids = await postsToSee(context, claim)
    await using spill = await openSpill(ids.size)
    const noted = await noteBefore(context, ids, spill, claim)
    const written = await writeTerms(context, spill, claim)
    await removeOthers(context, claim)
    await noteAfter(context, noted, claim)
    return { posts: noted.filter(({ isIndexed }) => isIndexed).length, ...written }
  } finally {
    await claim.end()
  }
}

async function writeTerms(
  { target: { table }, progress }: Context,
  spill: Spill,
  { build, hold }: Claim,
): Promise<{ terms: number; postings: number }> {
  const written = { terms: 0, postings: 0 }
  let file = 0
  const left = openEstimate(() => performance.now())
  for await (const terms of spill.read()) {
    file++
    let items: Item[] = []
    for (const [term, postings] of terms) {
      for (const item of itemsOf(term, postings)) items.push({ ...item, build })
      written.terms++
      written.postings += postings.length
      if (items.length < ITEMS_AT_ONCE) continue
      await hold()
      await table.putMany(items)
      items = []
      progress.say(
        `Wrote ${written.terms} terms, part ${file} of ${spill.files}${left(file - 1, spill.files)}`,
      )
    }
    await hold()
    await table.putMany(items)
  }
  return written
}

/** Terms and blocks that were not written anew are of no post. */
async function removeOthers(
  { target: { table, documents, tableName }, progress }: Context,
  { build, hold }: Claim,
): Promise<void> {
  let read = 0
  let removed = 0
  for await (const items of scan(documents, tableName)) {
    const others = items.filter(item => isOfIndex(item) && item.build !== build)
    await hold()
    await table.removeMany(others.map(({ pk, sk }): Key => ({ pk, sk })))
    read += items.length
    removed += others.length
    progress.say(`Read ${read} items again, removed ${removed} that were left of the old index`)
  }
}

function isOfIndex({ pk }: Item): boolean {
  return kindOf(pk) === 'TERM' || kindOf(pk) === 'POSTINGS'
}
