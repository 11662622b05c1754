// Messages of webhooks that come too early, or while another function has a claim, in the whole service.
import { describe, expect, it } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { findBurst } from '../../shared/webhooks/commands/collect.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { firstAttempt, sentEvent } from '../../shared/webhooks/delivery.ts'
import { getWebhook } from '../../shared/webhooks/store/webhooks.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { messageTo, newEvent } from '../webhooks/subscriptions.ts'

const world = useWorld()

describe('a message that closes a burst', () => {
  it('is sent again if it comes too early', async () => {
    const { recorded, url } = await openRecorder()
    const { id } = await world.create.webhook(url('200'), { events: ['post.published'], quiet_seconds: 60 })
    await world.create.livePost()
    const burst = await until('the burst', () => findBurst(world.table, id))
    const body = { kind: 'burst' as const, webhook_id: id, id: burst.id }
    await world.table.write({ Put: { Item: outboxRow({ queue: 'events', body }, Date.now() - 60_000) } })
    await world.runSchedule('sweep')
    await until('two messages that wait', () => world.queueDepth('EventsQueue').delayed === 2)
    expect(recorded).toEqual([])
  })
})

describe('a message of two deliveries of which one is claimed', () => {
  it('delivers the other, and the claimed one comes again alone', async () => {
    const { recorded, url } = await openRecorder()
    const subscribed = async (path: string) => {
      const { id } = await world.create.webhook(url(path))
      return getWebhook(world.table, { ownerId: world.owner.id, id })
    }
    const [claimed, other] = [await subscribed('200'), await subscribed('204')]
    const event = newEvent()
    const at = { table: world.table, nowMs: Date.now() }
    await claim(at, firstAttempt(claimed, event.id), sentEvent(event))
    const body = messageTo([claimed, other], event)
    await world.table.write({ Put: { Item: outboxRow({ queue: 'deliveries', body }, Date.now() - 60_000) } })
    await world.runSchedule('sweep')
    await until('the other delivery', () => recorded.length === 1)
    expect(recorded.map(({ path }) => path)).toEqual(['204'])
    await until('a message of its own', () => world.hasUsed('deliver-webhooks: sends deliveries'))
  })
})
