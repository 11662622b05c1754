// Checks the search index: it has every public post as it is now, and each term has their postings.
import { setTimeout as pause } from 'node:timers/promises'
import { listRows } from '../../../shared/events/left-rows.ts'
import { sumOf } from '../../../shared/events/queue-depth.ts'
import { indexPosts, isUpToDate, readState } from '../../../shared/search/commands/index-posts.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { readWhenFree } from '../reindex/read-when-free.ts'
import { reindex } from '../reindex/reindex.ts'
import type { IndexSums } from './index-sums.ts'
import type { Problem } from './problem.ts'
import { wrongTerms } from './search-terms.ts'

/** The index follows a change within five seconds. */
const UPDATED_MS = 5_000
const READ_AGAIN_MS = 100

/** Unreadable items are reported alone. Posts come before terms, since repairing a post repairs its terms. */
export async function checkIndex(
  context: Context,
  sums: IndexSums,
  readAll: () => AsyncIterable<Item[]>,
  repair: boolean,
): Promise<Problem[]> {
  const { table } = context.target
  if (sums.unreadable.length > 0) {
    if (repair) await reindex(context)
    return sums.unreadable.map(item => unreadable(item, repair))
  }
  const sinceMs = performance.now()
  const outdated = await outdatedPosts(table, suspectedPosts(sums))
  const names = new Set(sums.terms.keys())
  if (!repair && outdated.length > 0 && (await isAnyQueued(context))) {
    const terms = await wrongTerms(table, { names, except: new Set(outdated) }, readAll)
    return [queuedPosts(outdated.length), ...terms.map(term => wrongTerm(term, false))]
  }
  if (repair) for (const id of outdated) await repairPost(context, id, sinceMs)
  const posts = outdated.map(
    (id): Problem => ({
      subject: `post ${id}`,
      message: 'the search index is out of date for it.',
      isRepaired: repair,
    }),
  )
  const terms = await wrongTerms(table, { names, except: new Set(repair ? [] : outdated) }, readAll)
  if (repair && terms.length > 0) await reindex(context)
  return [...posts, ...terms.map(term => wrongTerm(term, repair))]
}

function wrongTerm(term: string, isRepaired: boolean): Problem {
  return {
    subject: `search term ${term}`,
    message: 'its postings do not match the posts. Only a reindex repairs it.',
    isRepaired,
  }
}

function queuedPosts(count: number): Problem {
  return {
    subject: 'search index',
    message: `${count} posts are queued, will be done by the service.`,
    found: count,
    isRepaired: false,
    isQueued: true,
  }
}

/** Whether the service still has posts to index, in the queue or in the outbox. */
async function isAnyQueued({ target }: Context): Promise<boolean> {
  const [depth, rows] = await Promise.all([target.depthOf('index'), listRows(target.table)])
  return sumOf(depth) > 0 || rows.some(({ queue }) => queue === 'index')
}

function unreadable({ pk, sk }: Item, isRepaired: boolean): Problem {
  return {
    subject: LABELS.get(kindOf(pk))?.(nameIn(pk), sk) ?? pk,
    message: 'cannot be read. Only a reindex repairs it.',
    isRepaired,
  }
}

const LABELS = new Map<string, (name: string, sk: string) => string>([
  ['DOC' satisfies Kind, postId => `search index of post ${postId}`],
  ['TERM' satisfies Kind, (_, term) => `search term ${term}`],
  ['POSTINGS' satisfies Kind, term => `search term ${term}`],
])

/** Waits first, since a post has one writer at a time. */
async function repairPost({ target: { table }, nowMs }: Context, id: number, sinceMs: number) {
  await readWhenFree(table, id, sinceMs, async () => undefined)
  await indexPosts(table, [id], nowMs)
}

function suspectedPosts({ expected, indexed, tombstones }: IndexSums): Set<number> {
  return new Set(
    [...expected.keys(), ...indexed.keys(), ...tombstones].filter(
      id => expected.get(id) !== indexed.get(id) || tombstones.has(id),
    ),
  )
}

/** The posts that are still out of date after the time in which the index follows. */
async function outdatedPosts(table: Table, suspected: Set<number>): Promise<number[]> {
  const started = performance.now()
  const outdated = new Set(suspected)
  for (;;) {
    for (const id of outdated) if (isUpToDate(await readState(table, id))) outdated.delete(id)
    if (outdated.size === 0 || performance.now() - started > UPDATED_MS) return [...outdated]
    await pause(READ_AGAIN_MS)
  }
}
