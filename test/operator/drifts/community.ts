// Drifts of comments, tickets, contact messages and newsletter subscribers.
import { adminComments, ownComments } from '../../../shared/comments/contract.ts'
import { commentKey, entryKey, replyKey, threadKey, timeOrder } from '../../../shared/table/design.ts'
import { ticketWorld } from '../../support/ticket-world.ts'
import type { World } from '../../support/world.ts'
import { type Drifts, tableEditor, UNUSED_ID } from '../drift.ts'

export function communityDriftsOf(world: World): Drifts {
  const { call, create, admin } = world
  const { get, put, edit, remove, entryOf } = tableEditor(world)
  const tickets = ticketWorld(world)
  const write = async (post_id: number, parent_id: number | null = null) => {
    const body = { post_id, parent_id, body: 'Well said.' }
    const { data } = await call(ownComments.createOwnComment, { token: admin, body })
    await call(adminComments.approveComment, { token: admin, params: { id: data.id } })
    return data.id
  }
  const thread = async () => {
    const post = await create.livePost()
    const first = await write(post.id)
    return { postId: post.id, first, reply: await write(post.id, first) }
  }

  return {
    'a comment that should not be visible and is': async () => {
      const { postId, first } = await thread()
      await edit(threadKey(postId, [first]), { status: 'rejected' })
      return [
        `comment ${first}: has an unexpected entry in the list comments:approved.`,
        `comment ${first}: has an unexpected entry in the list comments:post:${postId}.`,
        `comment ${first}: its entry in the list comments:rejected is missing.`,
      ]
    },
    'a reply to a deleted comment': async () => {
      const { postId, first } = await thread()
      const lists = ['all', 'approved', 'user:1', `post:${postId}`].map(name => `comments:${name}`)
      await remove(threadKey(postId, [first]), commentKey(first), ...lists.map(name => entryOf(name, first)))
      return [`comment ${first}: does not exist, but its reply does.`]
    },
    'comments on a deleted post': async () => {
      const id = UNUSED_ID + 3
      const state = { id, post_id: id, path: [id], user_id: null, status: 'rejected' }
      await put({ ...threadKey(id, [id]), ...state })
      await put({ ...commentKey(id), ...state })
      return [
        `comment ${id}: its entry in the list comments:all is missing.`,
        `comment ${id}: its entry in the list comments:rejected is missing.`,
        `post ${id}: does not exist, but its comment does.`,
      ]
    },
    'the content of a comment that does not exist': async () => {
      const id = UNUSED_ID + 4
      await put({ ...commentKey(id), id, post_id: 1, path: [id], user_id: null })
      return [`comment ${id}: does not exist, but its text does.`]
    },
    'a ticket in the list of another status, and a reply without a ticket': async () => {
      const { id, created_at } = await tickets.open((await tickets.person()).token)
      const order = timeOrder(Date.parse(created_at) / 1000, id)
      await put({ ...(await get(entryKey('tickets:all', order))), ...entryKey('tickets:closed', order) })
      await put({ ...replyKey(UNUSED_ID, 1), id: 1, body: 'Hello?' })
      return [
        `ticket ${id}: has an unexpected entry in the list tickets:closed.`,
        `ticket ${UNUSED_ID}: does not exist, but its text does.`,
      ]
    },
  }
}
