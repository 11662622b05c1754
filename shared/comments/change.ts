// What admins do to a comment. Its replies may be ten thousand: they follow in steps, and are right at once (moving.ts).
import { notFound } from '../http/errors.ts'
import { type Reply, reply } from '../http/reply.ts'
import type { Work } from '../lambda/work.ts'
import { Post } from '../posts/post.ts'
import type { Table } from '../table/client.ts'
import { planMoves, settle } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { postKey } from '../table/design.ts'
import {
  adminView,
  commentData,
  isOrphan,
  type Known,
  type Standing,
  type Words,
  withStatus,
} from './comment.ts'
import type { AdminComment } from './contract.ts'
import { move, NO_MOVE } from './moving.ts'
import { placesOf } from './places.ts'
import { namesBehind } from './show.ts'
import { findPath, findWords } from './store.ts'
import { changeStanding, removeComment, requireAbove, requireSame } from './write.ts'

type Found = { words: Words; standing: Standing; known: Known; post: Post }

/** Throws NOT_FOUND, also for what went with its post or with a comment above it. */
const getComment = async (table: Table, id: number): Promise<Found> => {
  const words = await findWords(table, id)
  if (!words) throw notFound('Comment')
  const [known, post] = await Promise.all([findPath(table, words), table.find(postKey(words.post_id), Post)])
  const standing = known.get(id)
  if (!standing || !post || isOrphan(standing, known)) throw notFound('Comment')
  return { words, standing, known, post }
}

/** What decides whether it is shown is as it was read. */
const surroundings = ({ standing, known, post }: Found) => [
  ...requireAbove([standing], known),
  requireSame(post),
]

/** Changes nothing where the status is that already. Each change to `approved` is told. */
export const changeStatus = (
  work: Work,
  id: number,
  status: 'approved' | 'rejected',
): Promise<Reply<AdminComment>> =>
  deciding(async () => {
    const { table } = work
    const found = await getComment(table, id)
    const { words, standing, known, post } = found
    const { slug } = post
    const names = await namesBehind(table, [words])
    const answer = reply(adminView(words, status, { ...names, slug }))
    if (standing.status === status) return answer
    const { after, movesReplies } = withStatus(standing, status, known)
    const plan = await planMoves(table, placesOf(standing), placesOf(after))
    const data = commentData(words, status, { ...names, slug, siteUrl: await work.siteUrl() })
    const moved = movesReplies ? move(post.id, 'nothing') : NO_MOVE
    await work.commit(
      {
        actions: [changeStanding(standing, after), ...surroundings(found), ...moved.actions, ...plan.actions],
        happenings: status === 'approved' ? [{ event: 'comment.approved', data }] : [],
        messages: moved.messages,
      },
      answer,
    )
    await settle(table, plan.touched)
    return answer
  })

/** From the answer on no read shows it or what is below it. */
export const deleteComment = (work: Work, id: number): Promise<void> =>
  deciding(async () => {
    const { table } = work
    const found = await getComment(table, id)
    const plan = await planMoves(table, placesOf(found.standing), [])
    const moved = found.standing.has_replies ? move(found.post.id, 'orphans') : NO_MOVE
    await work.commit({
      actions: [...removeComment(found.standing), ...surroundings(found), ...moved.actions, ...plan.actions],
      messages: moved.messages,
    })
    await settle(table, plan.touched)
  })
