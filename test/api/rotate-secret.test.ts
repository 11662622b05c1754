// A rotation of a webhook's secret through the API: its answers, its signatures, and the end of the overlap.
import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openSubscriber, type Subscriber } from '../world/subscriber.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { listWebhooks, getWebhook, rotateSecret, testWebhook } = adminWebhooks
const URL_INPUT = 'https://a.example/hook'

function asAdmin(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

async function rotationOf(id: number) {
  return (await world.call(getWebhook, asAdmin(id))).data.secret_rotation
}

/** Sends a test, and returns which of the secrets its signatures are by. */
async function signersOf(id: number, subscriber: Subscriber, secrets: Record<string, string>) {
  await world.call(testWebhook, asAdmin(id))
  const { headers = {}, body = '' } = subscriber.received.at(-1) ?? {}
  const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const names = Object.keys(secrets)
  const byLibrary = names.filter(name => {
    try {
      new StandardWebhook(secrets[name] ?? '').verify(body, signed)
      return true
    } catch {
      return false
    }
  })
  const hexOf = (name: string) =>
    createHmac('sha256', secrets[name] ?? '')
      .update(body)
      .digest('hex')
  return { standard: byLibrary, signature: names.filter(name => hexOf(name) === headers.signature) }
}

describe('POST /api/v1/admin/webhooks/{id}/rotate-secret', () => {
  it('shows a new secret once, and deliveries are signed with both until the end of the overlap', async () => {
    const subscriber = await openSubscriber()
    const { id, secret: old, ...created } = await world.create.webhook(subscriber.url)
    const from = Math.floor(Date.now() / 1000)
    const { status, data } = await world.call(rotateSecret, asAdmin(id, { overlap_hours: 2 }))
    const to = Math.floor(Date.now() / 1000)
    const { secret, secret_rotation, ...shown } = data
    expect([status, shown]).toEqual([200, { ...created, id }])
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(old)
    const endsAt = Date.parse(secret_rotation?.ends_at ?? '') / 1000 - 2 * 3_600
    expect([endsAt >= from, endsAt <= to]).toEqual([true, true])

    expect(await rotationOf(id)).toEqual(secret_rotation)
    expect(await signersOf(id, subscriber, { old, secret })).toEqual({
      standard: ['old', 'secret'],
      signature: ['old'],
    })
    const listed = await world.call(listWebhooks, { token: world.admin })
    expect(listed.data.find(webhook => webhook.id === id)).not.toHaveProperty('secret_rotation')
    expect(listed.text).not.toContain('whsec_')
  })

  it('has an overlap of 24 hours without a body', async () => {
    const { id } = await world.create.webhook(URL_INPUT)
    const from = Math.floor(Date.now() / 1000)
    const { data } = await world.call(rotateSecret, asAdmin(id))
    const to = Math.floor(Date.now() / 1000)
    const start = Date.parse(data.secret_rotation?.ends_at ?? '') / 1000 - 24 * 3_600
    expect([start >= from, start <= to]).toEqual([true, true])
  })

  it('returns 409 during an overlap, and rotates once for concurrent requests', async () => {
    const subscriber = await openSubscriber()
    const { id, secret: old } = await world.create.webhook(subscriber.url)
    const rotate = () => world.call(rotateSecret, asAdmin(id, { overlap_hours: 168 }))
    const answers = await Promise.all([rotate(), rotate(), rotate(), rotate()])
    const [rotated, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    const { secret, secret_rotation } = rotated?.data ?? { secret: '' }
    for (const { status, code, message } of [
      await rotate(),
      ...answers.filter(answer => answer !== rotated),
    ]) {
      expect([status, code]).toEqual([409, 'CONFLICT'])
      expect(message).toContain(`is being rotated until ${secret_rotation?.ends_at}`)
      expect(message).toContain('overlap_hours 0')
    }
    const { standard } = await signersOf(id, subscriber, { old, secret })
    expect(standard).toEqual(['old', 'secret'])
  })

  it.each([-1, 169, 1.5, '24', null])('returns 422 for an overlap of %j', async overlap_hours => {
    const { id } = await world.create.webhook(URL_INPUT)
    const { status, fields } = await world.call(rotateSecret, asAdmin(id, { overlap_hours }))
    expect([status, fields]).toEqual([422, { overlap_hours: ['Must be a whole number from 0 to 168.'] }])
    expect(await rotationOf(id)).toBeNull()
  })
})
