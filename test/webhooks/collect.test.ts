// Two copies of a message at once, of which one function has read the subscription before a change.
import { describe, expect, it } from 'vitest'
import { collect, findBurst } from '../../shared/webhooks/commands/collect.ts'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { firstAttempt, sentEvent } from '../../shared/webhooks/delivery.ts'
import { use } from '../support/use.ts'
import { openBurstWorld } from './burst-world.ts'
import { newEvent } from './subscriptions.ts'

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
