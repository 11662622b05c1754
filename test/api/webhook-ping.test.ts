// The test ping of a webhook subscription.
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { closedPort } from '../webhooks/servers.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { getWebhook, changeWebhook, testWebhook } = adminWebhooks
function asAdmin(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

async function show(id: number) {
  return (await world.call(getWebhook, asAdmin(id))).data
}

describe('POST /api/v1/admin/webhooks/{id}/test', () => {
  it('delivers a signed test.ping even to an inactive subscription, and counts it', async () => {
    const subscriber = await openSubscriber({ status: 204 })
    const { id, secret } = await world.create.webhook(subscriber.url, { events: ['ticket.created'] })
    await world.call(changeWebhook, asAdmin(id, { is_active: false }))
    const headers = { 'X-Request-Id': 'ping-1' }
    const { status, data } = await world.call(testWebhook, { ...asAdmin(id), headers })
    expect(status).toBe(200)
    expect(data).toEqual({ delivered: true, response_status: 204, duration_ms: expect.any(Number) })

    const [ping] = subscriber.received
    expect(ping).toMatchObject({
      event: 'test.ping',
      data: { id, url: world.baseUrl, message: expect.any(String) },
      headers: { 'x-request-id': 'ping-1' },
    })
    const signed = Object.entries(ping?.headers ?? {}).map(([name, value]) => [name, String(value)])
    new StandardWebhook(secret).verify(ping?.body ?? '', Object.fromEntries(signed))
    expect(await show(id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 0, is_active: false })
  })

  it('returns 502 with the reason of a failure, and counts it', async () => {
    const failing = await world.create.webhook((await openSubscriber({ status: 500 })).url)
    expect(await world.call(testWebhook, asAdmin(failing.id))).toMatchObject({
      status: 502,
      code: 'DELIVERY_FAILED',
      message: 'The test failed. The receiver answered 500.',
    })
    const unreachable = await world.create.webhook(`http://127.0.0.1:${await closedPort()}/`)
    expect(await world.call(testWebhook, asAdmin(unreachable.id))).toMatchObject({
      status: 502,
      message: expect.stringContaining('connection'),
    })
    expect(await show(unreachable.id)).toMatchObject({ total_deliveries: 1, failed_deliveries: 1 })
  })
})
