// A message of a burst that the queue brings too early, in the whole service.
import { describe, expect, it } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { findBurst } from '../../shared/webhooks/commands/collect.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { openRecorder } from '../webhooks/recording.ts'

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
