// The search index: every post that is to be found is in it as it is, and every term has the postings of the posts.
import { setTimeout as pause } from 'node:timers/promises'
import { queueDepth } from '../../../shared/events/queue-depth.ts'
import { listWaitingRows } from '../../../shared/events/sweep-outbox.ts'
import { indexPosts, isFollowed, look } from '../../../shared/search/commands/index-posts.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Context } from '../command.ts'
import { lookWhenFree } from '../reindex/in-hand.ts'
import { reindex } from '../reindex/reindex.ts'
import type { Finding } from './finding.ts'
import type { IndexSums } from './index-sums.ts'
import { wrongTerms } from './search-terms.ts'

/** What is published is found within five seconds. */
const FOLLOWS_MS = 5_000
const LOOK_AGAIN_MS = 100

/** What cannot be read comes first, and alone; then posts: their terms are right once they are. */
export async function examineIndex(
  context: Context,
  sums: IndexSums,
  readAgain: () => AsyncIterable<Item[]>,
  isMending: boolean,
): Promise<Finding[]> {
  const { table } = context.target
  if (sums.unreadable.length > 0) {
    if (isMending) await reindex(context)
    return sums.unreadable.map(item => unreadable(item, isMending))
  }
  const sinceMs = performance.now()
  const left = await notFollowed(table, doubtedPosts(sums))
  if (!isMending && left.length > 0 && (await isAnyQueued(context))) {
    const terms = await wrongTerms(
      table,
      { names: new Set(sums.terms.keys()), apart: new Set(left) },
      readAgain,
    )
    return [queuedPosts(left.length), ...terms.map(term => wrongTerm(term, false))]
  }
  if (isMending) for (const id of left) await mendPost(context, id, sinceMs)
  const posts = left.map(
    (id): Finding => ({
      where: `post ${id}`,
      says: 'the search index has not followed it.',
      isMended: isMending,
    }),
  )
  const apart = new Set(isMending ? [] : left)
  const terms = await wrongTerms(table, { names: new Set(sums.terms.keys()), apart }, readAgain)
  if (isMending && terms.length > 0) await reindex(context)
  return [...posts, ...terms.map(term => wrongTerm(term, isMending))]
}

function wrongTerm(term: string, isMended: boolean): Finding {
  return {
    where: `search term ${term}`,
    says: 'its postings are not those of the posts. Only a reindex mends it.',
    isMended,
  }
}

function queuedPosts(count: number): Finding {
  return {
    where: 'search index',
    says: `${count} posts are queued, will be done.`,
    found: count,
    isMended: false,
    isQueued: true,
  }
}

/** Whether the service still has posts to index, in the queue or on the way to it. */
async function isAnyQueued({ target, nowMs }: Context): Promise<boolean> {
  const [depth, waiting] = await Promise.all([
    queueDepth(target.sqs, target.queueUrls('index').url),
    listWaitingRows(target.table, nowMs, 0),
  ])
  return depth > 0 || waiting.some(({ queue }) => queue === 'index')
}

function unreadable({ pk, sk }: Item, isMended: boolean): Finding {
  return {
    where: LABELS.get(kindOf(pk))?.(nameIn(pk), sk) ?? pk,
    says: 'cannot be read. Only a reindex mends it.',
    isMended,
  }
}

const LABELS = new Map<string, (name: string, sk: string) => string>([
  ['DOC' satisfies Kind, postId => `search index of post ${postId}`],
  ['TERM' satisfies Kind, (_, term) => `search term ${term}`],
  ['POSTINGS' satisfies Kind, term => `search term ${term}`],
])

/** A post has one writer at a time. */
async function mendPost({ target: { table }, nowMs }: Context, id: number, sinceMs: number) {
  await lookWhenFree(table, id, sinceMs, async () => undefined)
  await indexPosts(table, [id], nowMs)
}

function doubtedPosts({ should, is, leftOut }: IndexSums): Set<number> {
  return new Set(
    [...should.keys(), ...is.keys(), ...leftOut].filter(
      id => should.get(id) !== is.get(id) || leftOut.has(id),
    ),
  )
}

/** Those that the index does not follow in the time that it has. */
async function notFollowed(table: Table, doubted: Set<number>): Promise<number[]> {
  const started = performance.now()
  const left = new Set(doubted)
  for (;;) {
    for (const id of left) if (isFollowed(await look(table, id))) left.delete(id)
    if (left.size === 0 || performance.now() - started > FOLLOWS_MS) return [...left]
    await pause(LOOK_AGAIN_MS)
  }
}
