// Every kind of drift between records and what is made from them, planted behind the service's back.
import { expect } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { saveBlob } from '../../shared/table/blob.ts'
import {
  authorKey,
  bodyKey,
  categoryKey,
  categorySlugKey,
  deliveryKey,
  emailKey,
  entryKey,
  leftoverKey,
  OPEN_INDEX,
  openPartition,
  passwordKey,
  scheduledKey,
  slugKey,
  sortable,
  subscriberKey,
  tokenKey,
  webhookCounterKey,
  webhooksOwnedKey,
} from '../../shared/table/design.ts'
import type { World } from '../world/world.ts'
import { type Drift, NOBODY, planting } from './planting.ts'

export const driftsOf = (world: World): Drift[] => {
  const { table, given } = world
  const { raw, put, edit, remove, entryOf } = planting(world)
  const scheduled = async () => {
    const seconds = Math.floor(Date.now() / 1000) + 86_400
    const post = await given.livePost({ posted_at: new Date(seconds * 1000).toISOString() })
    return { id: post.id, key: scheduledKey(seconds, post.id), seconds }
  }
  const webhook = () => given.webhook('https://example.com/hook')

  return [
    {
      what: 'a record that lacks an entry in a list',
      plant: async () => {
        const { id } = await given.post()
        await remove(entryOf('drafts:all', id))
        return [`post ${id}: its entry in the list drafts:all is missing.`]
      },
    },
    {
      what: 'an entry that shows what the record no longer says',
      plant: async () => {
        const { id } = await given.livePost()
        const { item, ...entry } = await raw(entryOf('admin:all', id))
        await put({ ...entry, item: { ...Object(item), title: 'Before', version: 0 } })
        return [`post ${id}: its entry in the list admin:all is wrong in title, version.`]
      },
    },
    {
      what: 'a record that stands in a list where it should not',
      plant: async () => {
        const { id } = await given.livePost()
        await put({ ...(await raw(entryOf('admin:all', id))), ...entryOf('drafts:post', id) })
        return [`post ${id}: has a wrong entry in the list drafts:post.`]
      },
    },
    {
      what: 'an entry whose record is gone',
      plant: async () => {
        await put({ ...entryOf('admin:all', NOBODY), item: { id: NOBODY } })
        return [`post ${NOBODY}: does not exist, but its entry in the list admin:all does.`]
      },
    },
    {
      what: 'a slug lock that is missing',
      plant: async () => {
        const { id, slug } = await given.livePost()
        await remove(slugKey(slug))
        return [`post ${id}: its slug lock is missing.`]
      },
    },
    {
      what: 'a slug lock that names another author',
      plant: async () => {
        const { id, slug } = await given.livePost()
        await edit(slugKey(slug), { author_id: NOBODY })
        return [`post ${id}: its slug lock is wrong in author_id.`]
      },
    },
    {
      what: 'a slug lock of a post that has another slug',
      plant: async () => {
        const { id } = await given.post()
        await put({ ...slugKey('left-behind'), id, author_id: 1 })
        return [`post ${id}: has a wrong slug lock.`]
      },
    },
    {
      what: 'a slug lock of a post that is gone, on a slug that another has',
      plant: async () => {
        const { id, slug } = await given.livePost()
        await edit(slugKey(slug), { id: NOBODY + 1 })
        return [`post ${id}: its slug lock is wrong in id.`]
      },
    },
    {
      what: 'a post that waits for its time and is not among those that do',
      plant: async () => {
        const { id, key } = await scheduled()
        await remove(key)
        return [`post ${id}: its row among those that wait for their time is missing.`]
      },
    },
    {
      what: 'a draft among those that wait for their time',
      plant: async () => {
        const [{ key, seconds }, { id }] = [await scheduled(), await given.post()]
        await put({ ...(await raw(key)), ...scheduledKey(seconds, id), id })
        return [`post ${id}: has a wrong row among those that wait for their time.`]
      },
    },
    {
      what: 'a body without a post',
      plant: async () => {
        const { id } = await given.post()
        await put({ ...(await raw(bodyKey(id))), ...bodyKey(NOBODY + 2) })
        return [`post ${NOBODY + 2}: does not exist, but its body does.`]
      },
    },
    {
      what: 'a category whose slug nothing locks, and that is counted wrong',
      plant: async () => {
        const { id, slug } = await given.category()
        await given.livePost({ category_ids: [id] })
        await remove(categorySlugKey(slug))
        await edit(categoryKey(id), { counts: [7] })
        return [`category ${id}: its slug lock is missing.`]
      },
    },
    {
      what: 'a profile that shows an old name',
      plant: async () => {
        const { id } = await given.user()
        await edit(authorKey(id), { name: 'Before' })
        return [`user ${id}: its public profile is wrong in name.`]
      },
    },
    {
      what: 'a user whose address nothing locks and whom no address leads to',
      plant: async () => {
        const { id, email } = await given.user()
        await remove(emailKey(email), entryKey('users:email', email))
        return [
          `user ${id}: its address lock is missing.`,
          `user ${id}: its entry in the list users:email is missing.`,
        ]
      },
    },
    {
      what: 'a token, a password and an address lock of nobody',
      plant: async () => {
        await put({ ...tokenKey(NOBODY, 1), id: 1, user_id: NOBODY })
        await put({ ...passwordKey(NOBODY), hash: 'scrypt' })
        await put({ ...emailKey('nobody@example.com'), user_id: NOBODY })
        return ['token', 'password', 'address lock'].map(
          name => `user ${NOBODY}: does not exist, but its ${name} does.`,
        )
      },
    },
    {
      what: 'a webhook that fan-out takes for paused',
      plant: async () => {
        const { id } = await webhook()
        await edit(subscriberKey(id), { is_active: false })
        return [`webhook ${id}: its row for fan-out is wrong in is_active.`]
      },
    },
    {
      what: 'a counter that is missing, one of a webhook that is gone, and the number of webhooks of a user',
      plant: async () => {
        const { id } = await webhook()
        await remove(webhookCounterKey(1, id, 3))
        await put({ ...webhookCounterKey(1, NOBODY, 0), webhook_id: NOBODY, total: 1, failed: 0 })
        await edit(webhooksOwnedKey(1), { owned: 99 })
        return [
          `webhook ${id}: its counter is missing.`,
          `webhook ${NOBODY}: does not exist, but its counter does.`,
          expect.stringMatching(/^user 1: has \d+ webhooks, but they are counted as 99\.$/),
        ]
      },
    },
    {
      what: 'parts of a large text that nobody names',
      plant: async () => {
        const { due_ms, name } = await saveBlob(table, Buffer.alloc(400_000), Date.now() + 3_600_000)
        await remove(leftoverKey(due_ms, name))
        return [`large text ${name}: nobody names it, but 2 parts of it are kept.`]
      },
    },
    {
      what: 'a delivery that broke off and was never ended',
      plant: async () => {
        const delivery = { webhook_id: NOBODY, owner_id: 1, event_id: 'evt_1', status: 'sending' }
        const open = { [OPEN_INDEX.pk]: openPartition(0), [OPEN_INDEX.sk]: sortable(Date.now() - 300_000) }
        await put({ ...deliveryKey(NOBODY, 'evt_1'), ...delivery, ...open })
        return ['deliveries: 1 broke off more than 2 minutes ago and were never ended.']
      },
    },
    {
      what: 'a message that stays in the outbox',
      plant: async () => {
        const body = { kind: 'list', list: 'category:0' } as const
        await put(outboxRow({ queue: 'tidy', body }, Date.now() - 180_000))
        return ['outbox: 1 messages for the queue tidy wait for more than 2 minutes.']
      },
    },
  ]
}
