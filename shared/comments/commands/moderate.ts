// Approves, rejects and deletes comments.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { AdminComment } from '../contract.ts'
import { commentData } from '../events.ts'
import { listEntriesOf } from '../lists.ts'
import { getComment } from '../store/comments.ts'
import { findNames } from '../store/views.ts'
import { adminView } from '../view.ts'
import { changeState, ifPostUnchanged, removeComment } from './write.ts'

/** A no-op if the comment has the status. Fires comment.approved for each change to `approved`. */
export function changeStatus(
  work: UnitOfWork,
  id: number,
  status: 'approved' | 'rejected',
): Promise<Reply<AdminComment>> {
  return retryOnConflict(async () => {
    const { table } = work
    const { content, state, post } = await getComment(table, id)
    const { slug } = post
    const names = await findNames(table, [content])
    const answer = reply(adminView(content, status, { ...names, slug }))
    if (state.status === status) return answer
    const after = { ...state, status }
    const data = commentData(content, status, { ...names, slug, siteUrl: await work.siteUrl() })
    await work.commit(
      {
        actions: [changeState(state, after), ifPostUnchanged(post)],
        lists: { before: listEntriesOf(state), after: listEntriesOf(after) },
        events: status === 'approved' ? [{ event: 'comment.approved', data }] : [],
      },
      answer,
    )
    return answer
  })
}

/** The cleanup worker deletes its replies, which may be many. */
export function deleteComment(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const { state } = await getComment(work.table, id)
    const { post_id, path } = state
    await work.commit({
      actions: removeComment(state),
      lists: { before: listEntriesOf(state) },
      messages: [{ queue: 'jobs', body: { kind: 'comments', post_id, path } }],
    })
  })
}
