// Redelivery through every queue and worker of the stack: of one delivery, and of all failed ones.
import { describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openRecorder } from '../webhooks/recording.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { redeliver, redeliverAll, listDeliveries, changeWebhook, testWebhook } = adminWebhooks
const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()

async function openFailing(count: number) {
  const recorder = await openRecorder()
  const { id } = await world.create.webhook(recorder.url('500'), { events: ['post.published'] })
  for (let n = 0; n < count; n++) await world.create.livePost()
  const asAdmin = { token: world.admin, params: { id } }
  const list = async () => (await world.call(listDeliveries, asAdmin)).data
  const ended = (total: number) =>
    until(`${total} deliveries to end`, async () => {
      const all = (await list()).filter(({ status }) => status === 'failed' || status === 'succeeded')
      return all.length === total && all
    })
  await ended(count)
  const changeTo = (body: object) => world.call(changeWebhook, { ...asAdmin, body })
  await changeTo({ url: recorder.url('long') })
  return { id, asAdmin, recorder, list, ended, changeTo }
}

describe('POST /api/v1/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver', () => {
  it('returns 422 for a paused subscription, and 404 for an unknown delivery', async () => {
    const { id, list, changeTo } = await openFailing(1)
    const [failed] = await list()
    await changeTo({ is_active: false })
    const ask = (delivery_id: string) =>
      world.call(redeliver, { token: world.admin, params: { id, delivery_id } })
    expect(await ask(failed?.id ?? '')).toMatchObject({ status: 422, fields: { is_active: [/Resume/] } })
    await changeTo({ is_active: true })
    expect((await ask('evt_1-1.1')).status).toBe(404)
    expect((await ask(`${failed?.id}0`)).status).toBe(404)
  })
})

describe('POST /api/v1/admin/webhooks/{id}/redeliver', () => {
  it('sends all failed deliveries again, and only those', async () => {
    const { asAdmin, recorder, ended, changeTo } = await openFailing(3)
    await world.call(testWebhook, asAdmin)
    const { status, data } = await world.call(redeliverAll, { ...asAdmin, body: { since: HOUR_AGO } })
    expect([status, data.matched]).toEqual([202, 3])
    const all = await ended(3 + 1 + 3)
    expect(all.slice(0, 3).map(({ attempt, status }) => [attempt, status])).toEqual(
      Array(3).fill([2, 'succeeded']),
    )
    const ids = recorder.recorded.map(({ headers }) => headers['webhook-id'])
    expect(ids.slice(4).toSorted()).toEqual(ids.slice(0, 3).toSorted())
    // The next one lasts until the receiver's time-out.
    await changeTo({ url: recorder.url('hang') })
    const body = { since: HOUR_AGO, status: 'all' }
    const again = () => world.call(redeliverAll, { ...asAdmin, body })
    const [started, refused] = await until('the end of the first one', async () => {
      const both = (await Promise.all([again(), again()])).toSorted((a, b) => a.status - b.status)
      return both.some(({ status }) => status === 202) && both
    })
    expect([started?.data.matched, refused?.status, refused?.code]).toEqual([4, 409, 'CONFLICT'])
  })
})
