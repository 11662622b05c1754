// Approves, rejects and deletes comments. Their replies, which may be many, are recounted in the background.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, reply } from '../../http/reply.ts'
import type { Action } from '../../table/action.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { withNewStatus } from '../comment.ts'
import type { AdminComment } from '../contract.ts'
import { commentData } from '../events.ts'
import { listEntriesOf } from '../lists.ts'
import { type CommentInThread, getComment } from '../store/comments.ts'
import { findNames } from '../store/views.ts'
import { adminView } from '../view.ts'
import { NO_RECOUNT, startRecount } from './recount.ts'
import { changeState, ifAncestorsUnchanged, ifPostUnchanged, removeComment } from './write.ts'

/** Fails with CONFLICT if the post or a comment above this one has changed. */
function ifThreadUnchanged({ state, states, post }: CommentInThread): Action[] {
  return [...ifAncestorsUnchanged([state], states), ifPostUnchanged(post)]
}

/** A no-op if the comment has the status. Fires comment.approved for each change to `approved`. */
export function changeStatus(
  work: UnitOfWork,
  id: number,
  status: 'approved' | 'rejected',
): Promise<Reply<AdminComment>> {
  return retryOnConflict(async () => {
    const { table } = work
    const comment = await getComment(table, id)
    const { content, state, states, post } = comment
    const { slug } = post
    const names = await findNames(table, [content])
    const answer = reply(adminView(content, status, { ...names, slug }))
    if (state.status === status) return answer
    const { after, affectsReplies } = withNewStatus(state, status, states)
    const data = commentData(content, status, { ...names, slug, siteUrl: await work.siteUrl() })
    const recount = affectsReplies ? startRecount(post.id, 'nothing') : NO_RECOUNT
    await work.commit(
      {
        actions: [changeState(state, after), ...ifThreadUnchanged(comment), ...recount.actions],
        lists: { before: listEntriesOf(state), after: listEntriesOf(after) },
        events: status === 'approved' ? [{ event: 'comment.approved', data }] : [],
        messages: recount.messages,
      },
      answer,
    )
    return answer
  })
}

/** Readers stop seeing the comment and its replies immediately. */
export function deleteComment(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const { table } = work
    const comment = await getComment(table, id)
    const { state, post } = comment
    const recount = state.has_replies ? startRecount(post.id, 'orphans') : NO_RECOUNT
    await work.commit({
      actions: [...removeComment(state), ...ifThreadUnchanged(comment), ...recount.actions],
      lists: { before: listEntriesOf(state) },
      messages: recount.messages,
    })
  })
}
