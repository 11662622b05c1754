// The comments of a post: each shown only while all above it are, none left of a post or a comment that is gone.
import { isDeepStrictEqual } from 'node:util'
import { startRecount } from '../../../shared/comments/commands/recount.ts'
import { CommentState, isOrphan, isShown, knownOf } from '../../../shared/comments/comment.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { postKey, recountKey, threadPartition } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../command.ts'
import { workOf } from '../work.ts'
import type { Finding } from './finding.ts'
import { isResting } from './rest.ts'

/** What is mended is marked, and set right by the service in steps, as after any change that moves many of them. */
export function examineThread(context: Context, postId: number, isMending: boolean): Promise<Finding[]> {
  return retryOnConflict(async () => {
    const { table } = context.target
    const isMoving = () => isResting(table, [recountKey(postId)])
    if (await isMoving()) return []
    const wrong = await wrongIn(table, postId)
    if (!wrong) return []
    // A thread is long to read: only what is wrong twice was wrong at one moment.
    if (!isDeepStrictEqual(wrong, await wrongIn(table, postId))) throw new ConditionFailed([CONFLICT])
    if (await isMoving()) return []
    if (isMending) await workOf(context).commit(startRecount(postId, wrong.gone))
    return [{ where: `post ${postId}`, says: wrong.says, found: wrong.ids, isMended: isMending }]
  })
}

type Wrong = { gone: 'all' | 'orphans' | 'nothing'; ids: number[]; says: string }

async function wrongIn(table: Table, postId: number): Promise<Wrong | undefined> {
  const standings = await table.query({ pk: threadPartition(postId) }, CommentState)
  const isThere = (await table.findMany([postKey(postId)])).length > 0
  const known = knownOf(standings)
  const idsOf = (some: CommentState[]) => some.map(({ id }) => id)
  if (!isThere && standings.length > 0) {
    const says = `does not exist, but ${standings.length} comments on it do.`
    return { gone: 'all', ids: idsOf(standings), says }
  }
  const orphans = standings.filter(each => isOrphan(each, known))
  if (orphans.length > 0) {
    const says = `${orphans.length} comments on it answer to one that is gone.`
    return { gone: 'orphans', ids: idsOf(orphans), says }
  }
  const unlike = standings.filter(each => each.is_listed !== isShown(each, known))
  const says = `${unlike.length} comments on it are shown and must not be, or the other way round.`
  return unlike.length > 0 ? { gone: 'nothing', ids: idsOf(unlike), says } : undefined
}
