// Checks that every event of a history was delivered at most once and has a final delivery.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { adminWebhooks } from '../../../shared/webhooks/contract.ts'
import { until } from '../../world/until.ts'
import type { FaultyWorld } from './world.ts'

const Delivery = z.object({
  event_id: z.string(),
  status: z.enum(['succeeded', 'failed']),
  error: z.nullable(z.string()),
})

/** `received` are the ids that the subscriber got. */
export async function expectDelivered(
  world: FaultyWorld,
  events: string[],
  received: string[],
): Promise<void> {
  const deliveries = (await world.dump())
    .filter(({ pk }) => pk.startsWith('DELIVERIES#'))
    .map(item => Delivery.parse(item))
  expect(deliveries.map(({ event_id }) => event_id).sort()).toEqual(events.toSorted())
  const succeeded = deliveries.filter(({ status }) => status === 'succeeded')
  const interrupted = deliveries.filter(({ error }) => error === 'interrupted')
  expect(succeeded.length + interrupted.length).toBe(deliveries.length)
  await until('the deliveries to arrive', () => received.length >= succeeded.length)
  expect(new Set(received).size, 'each at most once').toBe(received.length)
  const ids = new Set(received.map(id => id.replace(/-\d+$/, '')))
  expect(succeeded.filter(({ event_id }) => !ids.has(event_id))).toEqual([])
  const all = new Set(events)
  expect([...ids].filter(id => !all.has(id))).toEqual([])

  const [webhook] = (await world.call(adminWebhooks.listWebhooks)).read()
  expect([webhook?.total_deliveries, webhook?.failed_deliveries]).toEqual([
    deliveries.length,
    interrupted.length,
  ])
}
