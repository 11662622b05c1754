// Edits of the table, so that records and what depends on them differ. Each drift returns the problems that
// the doctor must report, except problems of lists.
import { expect } from 'vitest'
import { removeAccount } from '../../shared/accounts/commands/account.ts'
import { adminComments, ownComments } from '../../shared/comments/contract.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { saveBlob } from '../../shared/table/blob.ts'
import {
  authorKey,
  bodyKey,
  categoryKey,
  categorySlugKey,
  categoryTotalsKey,
  commentKey,
  dueDocKey,
  dueMarkerKey,
  emailKey,
  entryKey,
  fanOutKey,
  type Item,
  type Key,
  leftoverKey,
  passwordKey,
  pendingKey,
  replyKey,
  scheduledKey,
  slugKey,
  sortable,
  threadKey,
  timeOrder,
  tokenKey,
  wantedKey,
  webhooksOwnedKey,
} from '../../shared/table/design.ts'
import { ticketWorld } from '../support/ticket-world.ts'
import { unitOfWorkOn } from '../support/work.ts'
import type { World } from '../support/world.ts'

type Drifts = Record<string, () => Promise<string[]>>

/** No record has this id, nor one of the next few. */
const UNUSED_ID = 9_990

export function tableEditor({ table }: World) {
  const get = async (key: Key): Promise<Item> => {
    const [item] = await table.findMany([key])
    if (!item) throw new Error(`There is no ${key.pk} ${key.sk}.`)
    return item
  }
  const put = (item: Item) => table.write({ Put: { Item: item } })
  const edit = async (key: Key, members: object) => put({ ...(await get(key)), ...members })
  const remove = (...keys: Key[]) => table.removeMany(keys)
  const entryOf = (list: string, id: number) => entryKey(list, sortable(id))
  return { get, put, edit, remove, entryOf }
}

/** The drifts of every type of record: content, accounts with what belongs to them, and community. */
export function driftsOf(world: World): Drifts {
  return { ...contentDriftsOf(world), ...accountDriftsOf(world), ...communityDriftsOf(world) }
}

function contentDriftsOf(world: World): Drifts {
  const { create } = world
  const { get, put, edit, remove, entryOf } = tableEditor(world)
  const scheduled = async () => {
    const seconds = Math.floor(Date.now() / 1000) + 86_400
    const post = await create.livePost({ posted_at: new Date(seconds * 1000).toISOString() })
    return { id: post.id, key: scheduledKey(seconds, post.id), seconds }
  }

  return {
    'a list entry with old values of its record': async () => {
      const { id, posted_at } = await create.livePost()
      const key = entryKey('posts', timeOrder(Date.parse(posted_at ?? '') / 1000, id))
      const { item, ...entry } = await get(key)
      await put({ ...entry, item: { ...Object(item), title: 'Before', version: 0 } })
      return [`post ${id}: its entry in the list posts is wrong in title, version.`]
    },
    'a record in a list in which it should not be': async () => {
      const { id } = await create.livePost()
      await put({ ...(await get(entryOf('admin:post', id))), ...entryOf('drafts:post', id) })
      return [`post ${id}: has an unexpected entry in the list drafts:post.`]
    },
    'wrong totals of the categories': async () => {
      await create.category()
      await edit(categoryTotalsKey, { count: 90 })
      return [expect.stringMatching(/^categories: count is \d+, but must be \d+/)]
    },
    'a slug lock with another author': async () => {
      const { id, slug } = await create.livePost()
      await edit(slugKey(slug), { author_id: UNUSED_ID })
      return [`post ${id}: its slug lock is wrong in author_id.`]
    },
    'a slug lock of a post that has another slug': async () => {
      const { id } = await create.post()
      await put({ ...slugKey('left-behind'), id, author_id: 1 })
      return [`post ${id}: has an unexpected slug lock.`]
    },
    'a slug lock of a deleted post, on the slug of another post': async () => {
      const { id, slug } = await create.livePost()
      await edit(slugKey(slug), { id: UNUSED_ID + 1 })
      return [`post ${id}: its slug lock is wrong in id.`]
    },
    'a scheduled post that is missing among the scheduled posts': async () => {
      const { id, key } = await scheduled()
      await remove(key)
      return [`post ${id}: its row among the scheduled posts is missing.`]
    },
    'scheduled posts without a document or a marker for searches, and leftovers of announced ones':
      async () => {
        const [first, second, third] = [await scheduled(), await scheduled(), await scheduled()]
        await remove(dueDocKey(first.id))
        await remove(dueMarkerKey(second.seconds, second.id))
        await edit(dueDocKey(third.id), { digest: 'of another text' })
        const { id } = await create.livePost()
        await put({ ...dueMarkerKey(second.seconds, id), revision: 1 })
        await put({ ...(await get(dueDocKey(third.id))), ...dueDocKey(UNUSED_ID) })
        const [document, marker] = ['document', 'marker'].map(what => `${what} for searches from its time on`)
        return [
          `post ${first.id}: its ${document} is missing.`,
          `post ${second.id}: its ${marker} is missing.`,
          `post ${third.id}: its ${document} is wrong in digest.`,
          `post ${id}: has an unexpected ${marker}.`,
          `post ${UNUSED_ID}: does not exist, but its ${document} does.`,
        ]
      },
    'a draft among the scheduled posts': async () => {
      const [{ key, seconds }, { id }] = [await scheduled(), await create.post()]
      await put({ ...(await get(key)), ...scheduledKey(seconds, id), id })
      return [`post ${id}: has an unexpected row among the scheduled posts.`]
    },
    'a body without a post': async () => {
      const { id } = await create.post()
      await put({ ...(await get(bodyKey(id))), ...bodyKey(UNUSED_ID + 2) })
      return [`post ${UNUSED_ID + 2}: does not exist, but its body does.`]
    },
    'a category without a slug lock and with a wrong count': async () => {
      const { id, slug } = await create.category()
      await create.livePost({ category_ids: [id] })
      await remove(categorySlugKey(slug))
      await edit(categoryKey(id), { counts: [7] })
      return [`category ${id}: its slug lock is missing.`]
    },
    'a deleted category with list entries left, which is no problem of its posts': async () => {
      const { id, slug } = await create.category()
      await create.livePost({ category_ids: [id] })
      await remove(categoryKey(id), categorySlugKey(slug))
      return []
    },
  }
}

function accountDriftsOf(world: World): Drifts {
  const { table, create } = world
  const { put, edit, remove } = tableEditor(world)
  const webhook = () => create.webhook('https://example.com/hook')

  return {
    'a profile with an old name': async () => {
      const { id } = await create.user()
      await edit(authorKey(id), { name: 'Before' })
      return [`user ${id}: its public profile is wrong in name.`]
    },
    'profiles that count other numbers of public posts, and one that is missing': async () => {
      const authors = await Promise.all([create.user(), create.user(), create.user()])
      const [hidden, told, missing] = authors.map(({ id }) => id)
      for (const author_id of [hidden, missing]) await create.livePost({ author_id })
      await edit(authorKey(hidden ?? 0), { public_posts: 0 })
      await edit(authorKey(told ?? 0), { public_posts: 2 })
      await remove(authorKey(missing ?? 0))
      return [
        `user ${hidden}: public_posts is 0, but must be 1.`,
        `user ${told}: public_posts is 2, but must be 0.`,
        `user ${missing}: its public profile is missing.`,
        `user ${missing}: public_posts is 0, but must be 1.`,
      ]
    },
    'a token, a password and an address lock of a user that does not exist': async () => {
      await put({ ...tokenKey(UNUSED_ID, 1), id: 1, user_id: UNUSED_ID })
      await put({ ...passwordKey(UNUSED_ID), hash: 'scrypt' })
      await put({ ...emailKey('nobody@example.com'), user_id: UNUSED_ID })
      return ['token', 'password', 'address lock'].map(
        name => `user ${UNUSED_ID}: does not exist, but its ${name} does.`,
      )
    },
    'an active webhook that is paused for fan-out': async () => {
      const { id } = await webhook()
      await edit(fanOutKey(id), { is_active: false })
      return [`webhook ${id}: its row for fan-out is wrong in is_active.`]
    },
    'a wrong number of webhooks of a user': async () => {
      await webhook()
      await edit(webhooksOwnedKey(1), { owned: 99 })
      return [expect.stringMatching(/^user 1: owned is 99, but must be \d+\.$/)]
    },
    'a wrong number of subscriptions that want an event': async () => {
      await edit(wantedKey(1), { 'post.published': 17 })
      await remove(wantedKey(2))
      return [
        expect.stringMatching(/^webhooks: post\.published is 17, but must be \d+\.$/),
        // The next subscription creates it again.
        expect.stringMatching(/^webhooks: \* is 1, but must be \d+\.$/),
      ]
    },
    'subscriptions and pending comments of a user who was erased': async () => {
      const { id, token } = await create.user({ abilities: ['admin'] })
      await create.webhook('https://example.com/hook', {}, token)
      await put({ ...pendingKey(id), comments: [], revision: 1 })
      await removeAccount(unitOfWorkOn(table), id)
      return [
        `user ${id}: does not exist, but its row of webhooks does.`,
        `user ${id}: does not exist, but its record of pending comments does.`,
      ]
    },
    'parts of a large text without a reference': async () => {
      const { due_ms, name } = await saveBlob(table, Buffer.alloc(400_000), Date.now() + 3_600_000)
      await remove(leftoverKey(due_ms, name))
      return [`large text ${name}: nothing refers to it, but 2 parts of it are stored.`]
    },
    'an overdue message in the outbox': async () => {
      const body = { kind: 'list', list: 'category:0' } as const
      await put(outboxRow({ queue: 'jobs', body }, Date.now() - 180_000))
      return ['outbox: 1 messages for the queue jobs have waited for more than 2 minutes.']
    },
  }
}

function communityDriftsOf(world: World): Drifts {
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
