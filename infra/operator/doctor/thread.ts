// Checks the comments of a post: replies are visible only below visible comments, and none is an orphan.
import { isDeepStrictEqual } from 'node:util'
import { startRecount } from '../../../shared/comments/commands/recount.ts'
import { CommentState, isOrphan, isVisible, statesById } from '../../../shared/comments/comment.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { postKey, recountKey, threadPartition } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../command.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import type { Problem } from './problem.ts'
import { isBeingChanged } from './unless-busy.ts'

/** A repair starts a recount, which the service carries out in steps in the background. */
export function checkThread(context: Context, postId: number, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const { table } = context.target
    const isRecounted = () => isBeingChanged(table, [recountKey(postId)])
    if (await isRecounted()) return []
    const problem = await problemIn(table, postId)
    if (!problem) return []
    // Reading a thread takes several calls: only a problem that is found twice existed at one moment.
    if (!isDeepStrictEqual(problem, await problemIn(table, postId))) throw new ConditionFailed([CONFLICT])
    if (await isRecounted()) return []
    if (repair) await unitOfWorkOf(context).commit(startRecount(postId, problem.remove))
    return [{ subject: `post ${postId}`, message: problem.message, found: problem.ids, isRepaired: repair }]
  })
}

/** `remove` says which comments the recount has to remove. */
type ThreadProblem = { remove: 'all' | 'orphans' | 'nothing'; ids: number[]; message: string }

async function problemIn(table: Table, postId: number): Promise<ThreadProblem | undefined> {
  const comments = await table.query({ pk: threadPartition(postId) }, CommentState)
  const postExists = (await table.findMany([postKey(postId)])).length > 0
  const byId = statesById(comments)
  const idsOf = (some: CommentState[]) => some.map(({ id }) => id)
  if (!postExists && comments.length > 0) {
    const message = `does not exist, but ${comments.length} comments on it do.`
    return { remove: 'all', ids: idsOf(comments), message }
  }
  const orphans = comments.filter(comment => isOrphan(comment, byId))
  if (orphans.length > 0) {
    const message = `${orphans.length} comments on it are replies to a deleted comment.`
    return { remove: 'orphans', ids: idsOf(orphans), message }
  }
  const different = comments.filter(comment => comment.is_listed !== isVisible(comment, byId))
  const message = `${different.length} comments on it are visible and should not be, or the other way round.`
  return different.length > 0 ? { remove: 'nothing', ids: idsOf(different), message } : undefined
}
