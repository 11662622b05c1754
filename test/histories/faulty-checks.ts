// What must have become of every event of a history: delivered at most once, and accounted for.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { until } from '../world/until.ts'
import type { FaultyWorld } from './faulty-world.ts'

const Delivery = z.object({
  event_id: z.string(),
  status: z.enum(['succeeded', 'failed']),
  error: z.nullable(z.string()),
})

/** `received` are the ids that the one subscriber saw. */
export async function expectDelivered(
  world: FaultyWorld,
  events: string[],
  received: string[],
): Promise<void> {
  const kept = (await world.dump())
    .filter(({ pk }) => pk.startsWith('DELIVERIES#'))
    .map(item => Delivery.parse(item))
  expect(kept.map(({ event_id }) => event_id).sort()).toEqual(events.toSorted())
  const succeeded = kept.filter(({ status }) => status === 'succeeded')
  const broken = kept.filter(({ error }) => error === 'interrupted')
  expect(succeeded.length + broken.length).toBe(kept.length)
  await until('what was sent', () => received.length >= succeeded.length)
  expect(new Set(received).size, 'each at most once').toBe(received.length)
  const ids = new Set(received.map(id => id.replace(/-\d+$/, '')))
  expect(succeeded.filter(({ event_id }) => !ids.has(event_id))).toEqual([])
  const all = new Set(events)
  expect([...ids].filter(id => !all.has(id))).toEqual([])

  const [hook] = (await world.call(adminWebhooks.listWebhooks)).read()
  expect([hook?.total_deliveries, hook?.failed_deliveries]).toEqual([kept.length, broken.length])
}
