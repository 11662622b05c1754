// The subscriptions of a banned user are suspended: events of that time are never delivered.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { withBan, withoutBan } from '../../shared/accounts/ban.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import type { User } from '../../shared/accounts/user.ts'
import { deliveryKey, userKey } from '../../shared/table/design.ts'
import type { WebhookRecord } from '../../shared/webhooks/webhook.ts'
import { batchOf } from '../world/queue.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'
import { countsOf, messageTo, newEvent, subscribe } from './subscriptions.ts'
import { startWorkers } from './workers.ts'

const workers = use(startWorkers)

async function open() {
  const receiver = await openSubscriber()
  const webhook = await subscribe(workers.table, receiver.url, { sinceMs: Date.now() - 10_000 })
  return { receiver, webhook, change: (rule: (user: User) => User) => changeOwner(webhook, rule) }
}

function changeOwner({ owner_id }: WebhookRecord, rule: (user: User) => User) {
  return changeUser(workers.table, owner_id, rule)
}

/** The status of the delivery of an event of that time. */
async function statusOf(webhook: WebhookRecord, happened_ms: number): Promise<string | undefined> {
  const event = newEvent({ happened_ms })
  expect(await workers.deliverBatch(batchOf(messageTo([webhook], event)))).toEqual({
    batchItemFailures: [],
  })
  const delivery = await workers.table.find(
    deliveryKey(webhook.id, event.id),
    z.object({ status: z.string() }),
  )
  return delivery?.status
}

function seconds(fromNow: number) {
  return Math.floor(Date.now() / 1000) + fromNow
}

describe('a banned owner', () => {
  it('gets no event fired during the ban, and every event fired after it was lifted', async () => {
    const { receiver, webhook, change } = await open()
    await change(user => withBan(user, { reason: null, until: null }))
    const meantimeMs = Date.now()
    expect(await statusOf(webhook, meantimeMs)).toBeUndefined()
    await change(user => withoutBan(user, meantimeMs + 1))
    expect(await statusOf(webhook, meantimeMs)).toBeUndefined()
    expect(await statusOf(webhook, meantimeMs + 1)).toBe('succeeded')
    expect(receiver.received).toHaveLength(1)
    expect(await countsOf(workers.table, webhook)).toEqual({ total: 1, failed: 0 })
  })

  it('gets no events until a ban with an end is over, and every event from that second on', async () => {
    const { receiver, webhook, change } = await open()
    await change(user => withBan(user, { reason: null, until: seconds(60) }))
    expect(await statusOf(webhook, Date.now())).toBeUndefined()
    const until = seconds(-2)
    await change(user => withBan(user, { reason: null, until }))
    expect(await statusOf(webhook, until * 1000 - 1)).toBeUndefined()
    expect(await statusOf(webhook, until * 1000)).toBe('succeeded')
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a deleted owner', () => {
  it('gets no events', async () => {
    const { receiver, webhook } = await open()
    await workers.table.removeMany([userKey(webhook.owner_id)])
    expect(await statusOf(webhook, Date.now())).toBeUndefined()
    expect(receiver.received).toEqual([])
  })
})
