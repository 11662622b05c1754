// Every kind of drift in what people write: comments, tickets, messages, subscriptions to the newsletter.
import { adminComments, comments } from '../../shared/comments/contract.ts'
import { contact } from '../../shared/contact/contract.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import {
  commentKey,
  entryKey,
  newsletterEmailKey,
  replyKey,
  submissionKey,
  threadKey,
  timeOrder,
} from '../../shared/table/design.ts'
import { ticketWorld } from '../world/ticket-world.ts'
import type { World } from '../world/world.ts'
import { type Drift, NOBODY, planting } from './planting.ts'

export function communityDriftsOf(world: World): Drift[] {
  const { call, given, admin } = world
  const { raw, put, edit, remove, entryOf } = planting(world)
  const tickets = ticketWorld(world)
  const write = async (post_id: number, parent_id: number | null = null) => {
    const body = { post_id, parent_id, body: 'Well said.' }
    const { data } = await call(comments.createOwnComment, { token: admin, body })
    await call(adminComments.approveComment, { token: admin, params: { id: data.id } })
    return data.id
  }
  const thread = async () => {
    const post = await given.livePost()
    const first = await write(post.id)
    return { postId: post.id, first, reply: await write(post.id, first) }
  }

  return [
    {
      what: 'a comment that is missing where its status is listed',
      plant: async () => {
        const { first } = await thread()
        await remove(entryOf('comments:approved', first))
        return [`comment ${first}: its entry in the list comments:approved is missing.`]
      },
    },
    {
      what: 'a comment that should be shown and is not',
      plant: async () => {
        const { postId, first } = await thread()
        await edit(threadKey(postId, [first]), { is_listed: false })
        return [
          `comment ${first}: has a wrong entry in the list comments:post:${postId}.`,
          `post ${postId}: 1 comments on it are shown and must not be, or the other way round.`,
        ]
      },
    },
    {
      what: 'a reply to a comment that is gone',
      plant: async () => {
        const { postId, first } = await thread()
        const lists = ['all', 'approved', 'user:1', `post:${postId}`].map(name => `comments:${name}`)
        await remove(
          threadKey(postId, [first]),
          commentKey(first),
          ...lists.map(name => entryOf(name, first)),
        )
        return [`post ${postId}: 1 comments on it answer to one that is gone.`]
      },
    },
    {
      what: 'comments on a post that is gone',
      plant: async () => {
        const id = NOBODY + 3
        const standing = { id, post_id: id, path: [id], user_id: null, status: 'rejected' }
        await put({ ...threadKey(id, [id]), ...standing, is_listed: false, has_replies: false })
        await put({ ...commentKey(id), ...standing })
        return [
          `comment ${id}: its entry in the list comments:all is missing.`,
          `comment ${id}: its entry in the list comments:rejected is missing.`,
          `post ${id}: does not exist, but 1 comments on it do.`,
        ]
      },
    },
    {
      what: 'words of a comment that is gone',
      plant: async () => {
        const id = NOBODY + 4
        await put({ ...commentKey(id), id, post_id: 1, path: [id], user_id: null })
        return [`comment ${id}: does not exist, but its text does.`]
      },
    },
    {
      what: 'a ticket in a list of another status, and a reply to no ticket',
      plant: async () => {
        const { id, created_at } = await tickets.open((await tickets.person()).token)
        const order = timeOrder(Date.parse(created_at) / 1000, id)
        await put({ ...(await raw(entryKey('tickets:all', order))), ...entryKey('tickets:closed', order) })
        await put({ ...replyKey(NOBODY, 1), id: 1, body: 'Hello?' })
        return [
          `ticket ${id}: has a wrong entry in the list tickets:closed.`,
          `ticket ${NOBODY}: does not exist, but its reply does.`,
        ]
      },
    },
    {
      what: 'a message that no list leads to',
      plant: async () => {
        const body = { name: 'Ada', email: 'ada@example.com', message: 'Hello.' }
        const { data } = await call(contact.submitContact, { body })
        await put({ ...submissionKey(NOBODY), ...body, id: NOBODY, subject: null, created_at: 0 })
        await remove(entryKey('contact', timeOrder(Date.parse(data.created_at) / 1000, data.id)))
        return [data.id, NOBODY].map(id => `contact message ${id}: its entry in the list contact is missing.`)
      },
    },
    {
      what: 'a subscriber whose address nothing locks',
      plant: async () => {
        await call(newsletter.subscribe, { body: { email: 'reader@example.com' } })
        const { id } = await raw(newsletterEmailKey('reader@example.com'))
        await remove(newsletterEmailKey('reader@example.com'))
        return [`subscriber ${id}: its address lock is missing.`]
      },
    },
  ]
}
