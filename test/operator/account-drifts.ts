// Every kind of drift between users or webhooks and what is made from them, and what nobody ever took away.
import { expect } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { saveBlob } from '../../shared/table/blob.ts'
import {
  authorKey,
  deliveryKey,
  emailKey,
  entryKey,
  leftoverKey,
  OPEN_INDEX,
  openPartition,
  passwordKey,
  sortable,
  subscriberKey,
  tokenKey,
  webhookCounterKey,
  webhooksOwnedKey,
} from '../../shared/table/design.ts'
import type { World } from '../world/world.ts'
import { type Drift, NOBODY, planting } from './planting.ts'

export function accountDriftsOf(world: World): Drift[] {
  const { table, given } = world
  const { put, edit, remove } = planting(world)
  const webhook = () => given.webhook('https://example.com/hook')

  return [
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
