// Checks the comments of a post: its post and all comments above each of them exist.
import { isDeepStrictEqual } from 'node:util'
import { CommentState } from '../../../shared/comments/comment.ts'
import { CONFLICT, ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { postKey, threadPartition } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import type { Context } from '../command.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import type { Problem } from './problem.ts'

/** A repair starts the clean-up that the service carries out in steps in the background. */
export function checkThread(context: Context, postId: number, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const { table } = context.target
    const problem = await problemIn(table, postId)
    if (!problem) return []
    // Two reads differ while the service is deleting these comments.
    if (!isDeepStrictEqual(problem, await problemIn(table, postId))) throw new ConditionFailed([CONFLICT])
    const { ids, message, paths } = problem
    if (repair) {
      await unitOfWorkOf(context).commit({
        actions: [],
        messages: paths.map(path => ({ queue: 'jobs', body: { kind: 'comments', post_id: postId, path } })),
      })
    }
    return [{ subject: `post ${postId}`, message, found: ids, isRepaired: repair }]
  })
}

/** `paths`: those of the deleted comments, or the empty one for a deleted post. */
type ThreadProblem = { paths: number[][]; ids: number[]; message: string }

async function problemIn(table: Table, postId: number): Promise<ThreadProblem | undefined> {
  const comments = await table.query({ pk: threadPartition(postId) }, CommentState)
  if (comments.length === 0) return undefined
  if ((await table.findMany([postKey(postId)])).length === 0) {
    const message = `does not exist, but ${comments.length} comments on it do.`
    return { paths: [[]], ids: comments.map(({ id }) => id), message }
  }
  const existing = new Set(comments.map(({ id }) => id))
  const orphans = comments.filter(({ path }) => path.some(id => !existing.has(id)))
  if (orphans.length === 0) return undefined
  const missing = orphans.map(({ path }) => path.slice(0, path.findIndex(id => !existing.has(id)) + 1))
  return {
    paths: [...new Map(missing.map(path => [path.at(-1), path])).values()],
    ids: orphans.map(({ id }) => id),
    message: `${orphans.length} comments on it are replies to a deleted comment.`,
  }
}
