import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { subscriptionsKey } from '../../shared/table/design.ts'
import { claim } from '../../shared/webhooks/commands/deliveries.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { newEvent } from '../webhooks/subscriptions.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { createWebhook, getWebhook, testWebhook } = adminWebhooks
async function show(id: number, token = world.admin) {
  return (await world.call(getWebhook, { token, params: { id } })).data
}

describe('an event', () => {
  it('counts as failed after five seconds without an answer, and the subscription is marked as slow', async () => {
    const [hanging, quick] = [await openSubscriber({ hangs: true }), await openSubscriber()]
    const { id } = await world.create.webhook(hanging.url, { events: ['post.published'] })
    await world.create.webhook(quick.url, { events: ['post.published'] })
    await world.create.livePost()
    await until('the count', async () => (await show(id)).failed_deliveries === 1)
    const Slow = z.object({ slow: z.record(z.string(), z.int()) })
    const marks = await until('the mark', () => world.table.find(subscriptionsKey, Slow))
    expect(Object.keys(marks.slow)).toContain(String(id))
    await world.create.livePost()
    await Promise.all([hanging.waitFor(2), quick.waitFor(2)])
  })

  it('is not sent again after an interrupted delivery, which its message ends as failed', async () => {
    const subscriber = await openSubscriber()
    const { id: userId, token } = await world.create.user({ abilities: ['admin'] })
    const body = { name: 'Site', url: subscriber.url, events: ['*'] }
    const { id } = (await world.call(createWebhook, { token, body })).data
    const event = newEvent()
    const delivery = { webhook_id: id, owner_id: userId, event_id: event.id }
    await claim(world.table, delivery, event, { nowMs: Date.now() - 61_000 })
    const message = { subscriptions: [{ id, owner_id: userId }], event }
    const row = outboxRow({ queue: 'deliveries', body: message }, Date.now() - 60_000)
    await world.table.write({ Put: { Item: { ...row, unsent: true } } })

    await world.runSchedule('sweep')

    await until('the count', async () => (await show(id, token)).failed_deliveries === 1)
    expect(await show(id, token)).toMatchObject({ total_deliveries: 1, failed_deliveries: 1 })
    expect(subscriber.received).toEqual([])
  })
})

describe('the webhooks of a banned admin', () => {
  it('get no events from the time of the ban, but get later ones', async () => {
    const [subscriber, other] = [await openSubscriber(), await openSubscriber()]
    const { id, token } = await world.create.user({ abilities: ['admin'] })
    const body = { name: 'Site', url: subscriber.url, events: ['post.published'] }
    const webhook = (await world.call(createWebhook, { token, body })).data
    await world.create.webhook(other.url, { events: ['post.published'] })

    const user = { token: world.admin, params: { id } }
    await world.call(adminUsers.banUser, { ...user, body: {} })
    const request = { token, params: { id: webhook.id } }
    expect((await world.call(testWebhook, request)).code).toBe('ACCOUNT_BANNED')
    await world.create.livePost()
    await other.waitFor(1)
    await world.call(adminUsers.unbanUser, user)
    const post = await world.create.livePost()
    await subscriber.waitFor(1)
    await other.waitFor(2)
    expect(subscriber.received.map(({ data }) => data.id)).toEqual([post.id])
  })
})

describe('the webhooks of a former admin', () => {
  it('get no events between `token revoke --all` and a new admin token', async () => {
    const operator = operatorOn(world)
    const [subscriber, other] = [await openSubscriber(), await openSubscriber()]
    const { email, token } = await world.create.user({ abilities: ['admin'] })
    const body = { name: 'Site', url: subscriber.url, events: ['post.published'] }
    await world.call(createWebhook, { token, body })
    await world.create.webhook(other.url, { events: ['post.published'] })
    const before = await world.create.livePost()
    await subscriber.waitFor(1)

    await operator.json(['token', 'revoke', email, '--all'])
    await world.create.livePost()
    await other.waitFor(2)
    await until('the delivery to be dropped', world.isIdle)
    const admin = ['--abilities', 'admin', '--name', 'again']
    await operator.json(['token', 'create', '--email', email, ...admin])
    const after = await world.create.livePost()
    await subscriber.waitFor(2)
    expect(subscriber.received.map(({ data }) => data.id)).toEqual([before.id, after.id])
  })
})
