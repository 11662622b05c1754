// Drifts of users, webhooks, large texts, deliveries and the outbox.
import { expect } from 'vitest'
import { removeAccount } from '../../../shared/accounts/commands/account.ts'
import { outboxRow } from '../../../shared/events/outbox.ts'
import { saveBlob } from '../../../shared/table/blob.ts'
import {
  authorKey,
  emailKey,
  fanOutKey,
  leftoverKey,
  passwordKey,
  pendingKey,
  tokenKey,
  wantedKey,
  webhooksOwnedKey,
} from '../../../shared/table/design.ts'
import { unitOfWorkOn } from '../../support/work.ts'
import type { World } from '../../support/world.ts'
import { type Drifts, tableEditor, UNUSED_ID } from '../drift.ts'

export function accountDriftsOf(world: World): Drifts {
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
