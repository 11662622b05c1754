// A rotation of a webhook's secret through the API. test/webhooks/rotation.test.ts is about the signatures.
import { describe, expect, it } from 'vitest'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const { listWebhooks, getWebhook, rotateSecret } = adminWebhooks
const URL_INPUT = 'https://a.example/hook'

function asAdmin(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

async function rotationOf(id: number) {
  return (await world.call(getWebhook, asAdmin(id))).data.secret_rotation
}

describe('POST /api/v1/admin/webhooks/{id}/rotate-secret', () => {
  it.each([
    [{ overlap_hours: 2 }, 2],
    [undefined, 24],
  ])('shows a new secret once, and the end of the overlap, for the body %j', async (body, hours) => {
    const { id, secret: old, ...created } = await world.create.webhook(URL_INPUT)
    const from = Math.floor(Date.now() / 1000)
    const { status, data } = await world.call(rotateSecret, asAdmin(id, body))
    const to = Math.floor(Date.now() / 1000)
    const { secret, secret_rotation, ...shown } = data
    expect([status, shown]).toEqual([200, { ...created, id }])
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(secret).not.toBe(old)
    const start = Date.parse(secret_rotation?.ends_at ?? '') / 1000 - hours * 3_600
    expect([start >= from, start <= to]).toEqual([true, true])

    expect(await rotationOf(id)).toEqual(secret_rotation)
    const listed = await world.call(listWebhooks, { token: world.admin })
    expect(listed.data.find(webhook => webhook.id === id)).not.toHaveProperty('secret_rotation')
    expect(listed.text).not.toContain('whsec_')
  })

  it('returns 409 during an overlap, and rotates once for concurrent requests', async () => {
    const { id } = await world.create.webhook(URL_INPUT)
    const rotate = (overlap_hours: number) => world.call(rotateSecret, asAdmin(id, { overlap_hours }))
    const answers = await Promise.all([rotate(168), rotate(168), rotate(168), rotate(168)])
    const [rotated, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    for (const answer of [await rotate(168), ...answers.filter(answer => answer !== rotated)]) {
      const ends = rotated?.data.secret_rotation?.ends_at
      expect([answer.status, answer.code]).toEqual([409, 'CONFLICT'])
      expect(answer.message).toContain(`is being rotated until ${ends}`)
      expect(answer.message).toContain('overlap_hours 0')
    }
    expect((await rotate(0)).data.secret_rotation).toBeNull()
    expect(await rotationOf(id)).toBeNull()
  })

  it.each([-1, 169, 1.5, '24', null])('returns 422 for an overlap of %j', async overlap_hours => {
    const { id } = await world.create.webhook(URL_INPUT)
    const { status, fields } = await world.call(rotateSecret, asAdmin(id, { overlap_hours }))
    expect([status, fields]).toEqual([422, { overlap_hours: ['Must be a whole number from 0 to 168.'] }])
    expect(await rotationOf(id)).toBeNull()
  })
})
