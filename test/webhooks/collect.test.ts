// Functions that have read the subscription before a change of it, and clocks that differ.
import { describe, expect, it } from 'vitest'
import { collect, findBurst } from '../../shared/webhooks/commands/collect.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { firstAttempt, sentEvent } from '../../shared/webhooks/delivery.ts'
import { use } from '../support/use.ts'
import { openBurstWorld } from './burst-world.ts'
import { openRecorder } from './recording.ts'
import { change, newEvent } from './subscriptions.ts'

const world = use(openBurstWorld)

async function openBoth(before: { quiet_seconds?: number }) {
  const webhook = await world.subscribe('http://127.0.0.1:1', { quiet_seconds: 60 })
  const event = newEvent({ happened_ms: world.nowMs() })
  const { quiet_seconds: _, ...rest } = webhook
  return { webhook, earlier: { ...rest, ...before }, event, table: world.table }
}

describe('an event whose message comes twice at once, while quiet_seconds changes', () => {
  it('is either collected or delivered alone', async () => {
    for (let n = 0; n < 20; n++) {
      const { webhook, earlier, event, table } = await openBoth({ quiet_seconds: 0 })
      const copies = n % 2 === 0 ? [webhook, earlier] : [earlier, webhook]
      const [one, other] = await Promise.all(copies.map(copy => collect(world.work(), copy, event)))
      expect(one).toBe(other)
      expect((await findBurst(table, webhook.id)) !== undefined).toBe(one)
    }
  })

  it('is not collected once a function that knows of no burst has claimed it', async () => {
    const { webhook, earlier, event, table } = await openBoth({})
    const work = world.work()
    const commit: typeof work.commit = async (...change) => {
      const context = { table, nowMs: world.nowMs() }
      await claim(context, firstAttempt(earlier, event.id), sentEvent(event)).catch(() => undefined)
      return await work.commit(...change)
    }
    expect(await collect({ ...work, commit }, webhook, event)).toBe(false)
    expect(await findBurst(table, webhook.id)).toBeUndefined()
  })
})

describe('a pause and a resume', () => {
  it('drop an event from before them, also if its function has read the subscription before', async () => {
    const earlier = await world.subscribe('http://127.0.0.1:1', { quiet_seconds: 10 })
    const event = newEvent({ happened_ms: world.nowMs(), data: { id: 1 } })
    await world.advance(1_000)
    await world.change(earlier, { is_active: false })
    await world.change(earlier, { is_active: true })
    await world.advance(1_000)
    world.fire({ data: { id: 2 } })
    await world.advance(100)
    expect(await collect(world.work(), earlier, event)).toBe(true)
    expect((await findBurst(world.table, earlier.id))?.items).toMatchObject([{ id: 2 }])
  })

  it('by a clock that is ahead drop nothing of what comes after them', async () => {
    const receiver = await openRecorder()
    const webhook = await world.subscribe(receiver.url('200'), { quiet_seconds: 10 })
    world.fire({ data: { id: 1 } })
    await world.advance(500)
    await change(world.table, webhook, { is_active: false }, world.nowMs())
    await change(world.table, webhook, { is_active: true }, world.nowMs() + 1_800)
    await world.advance(100)
    world.fire({ data: { id: 2 } })
    await world.advance(5_000)
    world.fire({ data: { id: 3 } })
    await world.advance(60_000)
    expect(receiver.recorded.map(({ body }) => JSON.parse(body).data)).toMatchObject([
      { count: 2, items: [{ id: 2 }, { id: 3 }] },
    ])
  })
})

it('the first event of a subscription by a clock that is ahead is sent after the quiet time', async () => {
  const receiver = await openRecorder()
  await world.subscribe(receiver.url('200'), { quiet_seconds: 10, sinceMs: world.nowMs() + 1_800 })
  world.fire({ data: { id: 1 } })
  await world.advance(60_000)
  expect(receiver.recorded).toHaveLength(1)
})
