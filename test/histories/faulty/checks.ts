// A receiver of webhooks, and a check: it got each event of a history at most once, alone and in a burst.
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { adminWebhooks } from '../../../shared/webhooks/contract.ts'
import { openServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import type { FaultyWorld } from './world.ts'

/** Records the ids of deliveries. */
export async function openReceiver() {
  const received: string[] = []
  const { url, stop } = await openServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume()
    response.writeHead(204).end()
  })
  return { url, received, stop }
}

const Delivery = z.object({
  webhook_id: z.int(),
  event_id: z.string(),
  status: z.enum(['succeeded', 'failed']),
  error: z.nullable(z.string()),
  attempted_ms: z.int(),
})
type Delivery = z.infer<typeof Delivery>

const KeptBatch = z.object({ id: z.string(), event: z.literal('batch'), body: z.string() })
const Batch = z.object({
  occurred_at: z.string(),
  data: z.object({ count: z.int(), events: z.record(z.string(), z.int()), items: z.array(z.unknown()) }),
})

type Event = { id: string; event: string }

/** `received` are the ids that the subscriber got for both subscriptions. */
export async function expectDelivered(
  world: FaultyWorld,
  events: Event[],
  received: string[],
): Promise<void> {
  const items = await world.dump()
  const deliveries = items.filter(({ pk }) => pk.startsWith('DELIVERIES#')).map(item => Delivery.parse(item))
  const batches = items.flatMap(item => KeptBatch.safeParse(item).data ?? [])
  const [alone, inBursts] = (await world.call(adminWebhooks.listWebhooks)).read()
  const of = (id: number | undefined) => deliveries.filter(({ webhook_id }) => webhook_id === id)
  expect(
    of(alone?.id)
      .map(({ event_id }) => event_id)
      .sort(),
  ).toEqual(events.map(({ id }) => id).sort())
  expect(
    of(inBursts?.id)
      .map(({ event_id }) => event_id)
      .sort(),
  ).toEqual(batches.map(({ id }) => id).sort())
  expectCollected(batches, of(inBursts?.id), events)

  const isSent = ({ status }: Delivery) => status === 'succeeded'
  const isInterrupted = ({ error }: Delivery) => error === 'interrupted'
  expect(deliveries.filter(one => !isSent(one) && !isInterrupted(one))).toEqual([])
  const succeeded = deliveries.filter(isSent).map(({ event_id, webhook_id }) => `${event_id}-${webhook_id}`)
  await until('the deliveries to arrive', () => received.length >= succeeded.length)
  const ids = new Set(received)
  expect(ids.size, 'each at most once').toBe(received.length)
  expect(succeeded.filter(id => !ids.has(id))).toEqual([])
  const all = new Set(deliveries.map(({ event_id, webhook_id }) => `${event_id}-${webhook_id}`))
  expect([...ids].filter(id => !all.has(id))).toEqual([])
  for (const webhook of [alone, inBursts]) {
    const own = of(webhook?.id)
    expect([webhook?.total_deliveries, webhook?.failed_deliveries]).toEqual([
      own.length,
      own.filter(isInterrupted).length,
    ])
  }
}

/** Each event is in one batch, which was sent after it. */
function expectCollected(
  batches: z.infer<typeof KeptBatch>[],
  deliveries: Delivery[],
  events: Event[],
): void {
  const counted: Record<string, number> = {}
  for (const { id, body } of batches) {
    const { occurred_at, data } = Batch.parse(JSON.parse(body))
    const names = Object.entries(data.events)
    expect(names.reduce((sum, [, count]) => sum + count, 0)).toBe(data.count)
    expect(data.items).toHaveLength(Math.min(data.count, 100))
    for (const [name, count] of names) counted[name] = (counted[name] ?? 0) + count
    const sentMs = deliveries.find(({ event_id }) => event_id === id)?.attempted_ms ?? 0
    expect(sentMs).toBeGreaterThanOrEqual(Date.parse(occurred_at))
  }
  const fired: Record<string, number> = {}
  for (const { event } of events) fired[event] = (fired[event] ?? 0) + 1
  expect(counted).toEqual(fired)
}
