// What admins do to a comment. Its replies may be ten thousand: they follow in steps, and are right at once (moving.ts).

import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { withStatus } from '../comment.ts'
import type { AdminComment } from '../contract.ts'
import { commentData } from '../events.ts'
import { listEntriesOf } from '../lists.ts'
import { type CommentInThread, getComment } from '../store/comments.ts'
import { findNames } from '../store/shown.ts'
import { adminView } from '../view.ts'
import { NO_RECOUNT, startRecount } from './recount.ts'
import { changeState, removeComment, requireAncestors, requireSamePost } from './write.ts'

/** What decides whether it is shown is as it was read. */
function surroundings({ state, states, post }: CommentInThread) {
  return [...requireAncestors([state], states), requireSamePost(post)]
}

/** Changes nothing where the status is that already. Each change to `approved` is told. */
export function changeStatus(
  work: UnitOfWork,
  id: number,
  status: 'approved' | 'rejected',
): Promise<Reply<AdminComment>> {
  return retryOnConflict(async () => {
    const { table } = work
    const found = await getComment(table, id)
    const { content, state, states, post } = found
    const { slug } = post
    const names = await findNames(table, [content])
    const answer = reply(adminView(content, status, { ...names, slug }))
    if (state.status === status) return answer
    const { after, movesReplies } = withStatus(state, status, states)
    const data = commentData(content, status, { ...names, slug, siteUrl: await work.siteUrl() })
    const moved = movesReplies ? startRecount(post.id, 'nothing') : NO_RECOUNT
    await work.commit(
      {
        actions: [changeState(state, after), ...surroundings(found), ...moved.actions],
        lists: { before: listEntriesOf(state), after: listEntriesOf(after) },
        events: status === 'approved' ? [{ event: 'comment.approved', data }] : [],
        messages: moved.messages,
      },
      answer,
    )
    return answer
  })
}

/** From the answer on no read shows it or what is below it. */
export function deleteComment(work: UnitOfWork, id: number): Promise<void> {
  return retryOnConflict(async () => {
    const { table } = work
    const found = await getComment(table, id)
    const moved = found.state.has_replies ? startRecount(found.post.id, 'orphans') : NO_RECOUNT
    await work.commit({
      actions: [...removeComment(found.state), ...surroundings(found), ...moved.actions],
      lists: { before: listEntriesOf(found.state) },
      messages: moved.messages,
    })
  })
}
