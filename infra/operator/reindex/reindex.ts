// The whole index anew, beside the running service: its runs wait until it is done and then bring what is new.
import { randomUUID } from 'node:crypto'
import { claimRebuilding, endRebuilding } from '../../../shared/search/rebuilding.ts'
import { itemsOf } from '../../../shared/search/term-actions.ts'
import { kindOf } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { type Context, OperatorError } from '../command.ts'
import { scan } from '../doctor/scan.ts'
import { noteAfter, noteBefore, postsToSee } from './notes.ts'
import { openSpill, type Spill } from './spill.ts'

export type Reindexed = { posts: number; terms: number; postings: number }

const CLAIMED_MS = 600_000
const ITEMS_AT_ONCE = 500

/**
 * Broken off anywhere, it is begun anew: the notes of its posts say so until then. Throws OperatorError while
 * another one is under way.
 */
export const reindex = async (context: Context): Promise<Reindexed> => {
  const { target, nowMs } = context
  const build = randomUUID()
  const started = performance.now()
  const claim = async () => {
    const now = Math.floor(nowMs + performance.now() - started)
    if (await claimRebuilding(target.table, build, now, now + CLAIMED_MS)) return
    throw new OperatorError('Another reindex is under way, or broke off: try again ten minutes after it did.')
  }

  await claim()
  const ids = await postsToSee(context)
  const spill = await openSpill(ids.size)
  try {
    const noted = await noteBefore(context, ids, spill, claim)
    const written = await writeTerms(context, build, spill, claim)
    await removeOthers(context, build, claim)
    await noteAfter(context, noted, claim)
    return { posts: noted.filter(({ isIndexed }) => isIndexed).length, ...written }
  } finally {
    await spill.close()
    await endRebuilding(target.table, build)
  }
}

const writeTerms = async (
  { target: { table }, progress }: Context,
  build: string,
  spill: Spill,
  claim: () => Promise<void>,
): Promise<{ terms: number; postings: number }> => {
  const written = { terms: 0, postings: 0 }
  let file = 0
  for await (const terms of spill.read()) {
    await claim()
    file++
    let items: Item[] = []
    for (const [term, postings] of terms) {
      items.push(...itemsOf(term, postings).map(item => ({ ...item, build })))
      written.terms++
      written.postings += postings.length
      if (items.length < ITEMS_AT_ONCE) continue
      await table.putMany(items)
      items = []
      progress.say(`Wrote ${written.terms} terms, part ${file} of ${spill.files}`)
    }
    await table.putMany(items)
  }
  return written
}

/** Terms and blocks that were not written anew are of no post. */
const removeOthers = async (
  { target: { table, documents, tableName }, progress }: Context,
  build: string,
  claim: () => Promise<void>,
): Promise<void> => {
  let read = 0
  let removed = 0
  for await (const items of scan(documents, tableName)) {
    const others = items.filter(item => isOfIndex(item) && item.build !== build)
    await table.removeMany(others.map(({ pk, sk }): Key => ({ pk, sk })))
    read += items.length
    removed += others.length
    if (read % 20_000 < items.length) await claim()
    progress.say(`Read ${read} items again, removed ${removed} that were left of the old index`)
  }
}

const isOfIndex = ({ pk }: Item): boolean => kindOf(pk) === 'TERM' || kindOf(pk) === 'POSTINGS'
