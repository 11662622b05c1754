// The list of deliveries: its order, its cursors and its filters.
import { beforeAll, describe, expect, it } from 'vitest'
import { claim } from '../../shared/webhooks/commands/deliver.ts'
import { finalise } from '../../shared/webhooks/commands/finalise.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { firstAttempt, INTERRUPTED } from '../../shared/webhooks/delivery.ts'
import { sentEvent } from '../../shared/webhooks/event.ts'
import { newEvent } from '../webhooks/subscriptions.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function list(id: number, query: Record<string, string | number> = {}) {
  return world.call(adminWebhooks.listDeliveries, { token: world.admin, params: { id }, query })
}

describe('GET /api/v1/admin/webhooks/{id}/deliveries with 30 deliveries', () => {
  let id: number
  const seconds = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  beforeAll(async () => {
    const created = await world.create.webhook('https://hooks.example/', { events: ['test.ping'] })
    id = created.id
    for (let n = 0; n < 30; n++) {
      const event = newEvent({
        happened_ms: Date.parse(seconds(n)),
        event: n % 3 === 0 ? 'post.published' : 'post.deleted',
      })
      const ref = firstAttempt({ id, owner_id: world.owner.id }, event.id)
      const nowMs = Date.now()
      await claim({ table: world.table, nowMs }, ref, { ...sentEvent(event), expires: nowMs })
      if (n % 2 === 0) await finalise(world.table, { ref, outcome: INTERRUPTED, nowMs })
    }
  })

  const secondsIn = (data: { occurred_at: string }[]) =>
    data.map(({ occurred_at }) => Number(occurred_at.slice(17, 19)))
  const down = (from: number) => Array.from({ length: from + 1 }, (_, n) => from - n)

  it('lists them newest first, and walks through them by cursor', async () => {
    const seen: number[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const page = await list(id, { limit: 10, ...(after && { after }) })
      expect(page.data).toHaveLength(10)
      seen.push(...secondsIn(page.data))
      after = page.cursor.next
    }
    expect(seen).toEqual(down(29))
  })

  it('filters by status, event and time, also together and across pages', async () => {
    const failed = await list(id, { status: 'failed' })
    expect(secondsIn(failed.data)).toEqual(down(29).filter(n => n % 2 === 0))
    expect(failed.cursor.next).toBeNull()
    const between = await list(id, { since: seconds(10), until: seconds(20) })
    expect(secondsIn(between.data)).toEqual(down(29).filter(n => n >= 10 && n <= 20))
    const query = { status: 'failed', event: 'post.published', since: seconds(1), limit: 3 }
    const first = await list(id, query)
    expect(secondsIn(first.data)).toEqual([24, 18, 12])
    const second = await list(id, { ...query, after: String(first.cursor.next) })
    expect(secondsIn(second.data)).toEqual([6])
    expect(second.cursor.next).toBeNull()
  })

  it('returns 422 for a cursor of another list or of other filters, and for what does not exist', async () => {
    const { cursor } = await list(id, { limit: 10 })
    const other = await world.create.webhook('https://hooks.example/', { events: ['test.ping'] })
    const faults = await Promise.all([
      list(id, { after: String(cursor.next), status: 'failed' }),
      list(other.id, { after: String(cursor.next) }),
      list(id, { after: 'nonsense' }),
      list(id, { status: 'lost' }),
      list(id, { event: 'post.liked' }),
      list(id, { since: 'soon' }),
    ])
    expect(faults.map(({ status }) => status)).toEqual(faults.map(() => 422))
    const named = faults.map(({ fields }) => Object.keys(fields ?? {}).join())
    expect(named).toEqual(['after', 'after', 'after', 'status', 'event', 'since'])
  })
})
