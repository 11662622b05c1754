import { describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { me } from '../../shared/accounts/contract.ts'
import { getUser } from '../../shared/accounts/store/users.ts'
import { banWorld, inSeconds, NOT_BANNED } from '../world/ban-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
const { ban, unban, show, list, codeOf } = banWorld(world)

describe('POST /api/v1/admin/users/{id}/ban', () => {
  it('bans without a body, and returns 422 for a body that is not an object', async () => {
    const { id, token } = await world.create.user()
    const request = { token: world.admin, params: { id } }
    expect((await world.call(adminUsers.banUser, { ...request, body: '[]' })).fields).toEqual({
      body: ['Must be a JSON object.'],
    })
    expect((await world.call(adminUsers.banUser, request)).data).toMatchObject({
      is_banned: true,
      banned_until: null,
    })
    expect(await codeOf(token)).toBe('ACCOUNT_BANNED')
  })

  it('keeps both a ban and a concurrent change of the profile', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => world.create.user()))
    const renamed = await Promise.all(
      users.map(async ({ id, token }) => {
        const renaming = world.call(me.changeMe, { token, body: { name: 'Renamed' } })
        const [{ status, code }] = await Promise.all([renaming, ban(id, { reason: 'Spam' })])
        // A user who was banned first cannot change the profile.
        expect(status === 200 || code === 'ACCOUNT_BANNED').toBe(true)
        expect((await show(id)).is_banned).toBe(true)
        return status === 200 ? [id] : []
      }),
    )
    const listed = await list({ q: 'renamed' })
    expect(listed.map(({ id }) => id)).toEqual(renamed.flat().sort((a, b) => a - b))
    expect(listed.every(({ is_banned }) => is_banned)).toBe(true)
  })

  it('reports all invalid members together', async () => {
    const { id } = await world.create.user()
    const past = inSeconds(-1)
    const faultsOf = async (target: number, body: unknown) => {
      const { status, code, fields = {} } = await ban(target, body)
      return [status, code, ...Object.keys(fields).sort()]
    }
    const own = world.owner.id
    expect(await faultsOf(own, {})).toEqual([422, 'VALIDATION_ERROR', 'id'])
    expect(await faultsOf(own, { until: past })).toEqual([422, 'VALIDATION_ERROR', 'id', 'until'])
    expect(await faultsOf(id, { until: past })).toEqual([422, 'VALIDATION_ERROR', 'until'])
    const invalid = { until: 'soon', reason: 'x'.repeat(501) }
    expect(await faultsOf(id, invalid)).toEqual([422, 'VALIDATION_ERROR', 'reason', 'until'])
    expect(await faultsOf(999_999, { until: past })).toEqual([422, 'VALIDATION_ERROR', 'until'])
    expect(await faultsOf(999_999, {})).toEqual([404, 'NOT_FOUND'])
    expect(await show(id)).toMatchObject(NOT_BANNED)
    expect(await show(own)).toMatchObject(NOT_BANNED)
  })
})

describe('POST /api/v1/admin/users/{id}/unban', () => {
  it('lets the user in again with the existing tokens', async () => {
    const { id, token } = await world.create.user()
    await ban(id)
    const { status, data } = await unban(id)
    expect([status, data]).toEqual([200, await show(id)])
    expect(data).toMatchObject(NOT_BANNED)
    expect(await codeOf(token)).toBeUndefined()
  })

  it('changes nothing for a user who is not banned', async () => {
    const { id } = await world.create.user()
    const before = await getUser(world.table, id)
    expect((await unban(id)).data).toMatchObject(NOT_BANNED)
    expect(await getUser(world.table, id)).toEqual(before)
  })
})
