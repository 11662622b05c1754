// The event user.banned: once for each ban, and again after a ban has ended.
import { describe, expect, it } from 'vitest'
import { auth } from '../../shared/accounts/contract.ts'
import { getUser } from '../../shared/accounts/store/users.ts'
import { banWorld, inSeconds, NOT_BANNED } from '../world/ban-world.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
const { ban, show, list, codeOf, listen } = banWorld(world)

describe('POST /api/v1/admin/users/{id}/ban', () => {
  it('bans a user from the next request on, and fires user.banned once', async () => {
    const firedBans = await listen()
    const { token, ...user } = await world.create.user()
    const { status, data } = await ban(user.id, { reason: '  Spam ', until: '2999-01-01' })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id: user.id,
      is_banned: true,
      ban_reason: 'Spam',
      banned_until: '2999-01-01T00:00:00+00:00',
    })
    expect(await show(user.id)).toEqual(data)
    expect(await list({ q: user.email })).toEqual([data])
    expect(await codeOf(token)).toBe('ACCOUNT_BANNED')
    expect((await world.call(auth.logout, { token })).code).toBe('ACCOUNT_BANNED')

    const [event, ...others] = await firedBans(1)
    expect(others).toEqual([])
    expect(event?.data).toEqual({
      id: user.id,
      url: world.baseUrl,
      name: user.name,
      email: user.email,
      reason: 'Spam',
      banned_until: '2999-01-01T00:00:00+00:00',
    })
  })

  it('replaces an existing ban without an event', async () => {
    const firedBans = await listen()
    const { id } = await world.create.user()
    await ban(id, { reason: 'Spam', until: inSeconds(600) })
    const { data } = await ban(id, { reason: 'Worse' })
    expect(data).toMatchObject({ is_banned: true, ban_reason: 'Worse', banned_until: null })
    await ban(id, { reason: 'Worse' })
    expect(await show(id)).toEqual(data)
    expect((await getUser(world.table, id)).revision).toBe(3)
    expect((await firedBans(1)).map(({ data }) => data.reason)).toEqual(['Spam'])
  })

  it('ends the ban at its time, and fires another event for the next ban', async () => {
    const firedBans = await listen()
    const { id, token } = await world.create.user()
    const { data } = await ban(id, { reason: 'Cool down', until: inSeconds(3) })
    const end = Date.parse(data.banned_until ?? '')
    await until('the end of the ban', async () => {
      const sentMs = Date.now()
      const code = await codeOf(token)
      if (Date.now() < end) expect(code).toBe('ACCOUNT_BANNED')
      if (sentMs >= end) expect(code).toBeUndefined()
      return code === undefined
    })
    expect(await show(id)).toMatchObject(NOT_BANNED)
    const users = await list({ per_page: 100 })
    expect(users.find(user => user.id === id)).toMatchObject(NOT_BANNED)
    await ban(id, { reason: 'Again' })
    expect((await firedBans(2)).map(({ data }) => data.reason).sort()).toEqual(['Again', 'Cool down'])
  })

  it('fires one event for many concurrent bans', async () => {
    const firedBans = await listen()
    const { id } = await world.create.user()
    const bans = await Promise.all(Array.from({ length: 8 }, (_, n) => ban(id, { reason: `${n}` })))
    expect(bans.map(({ status }) => status)).toEqual(bans.map(() => 200))
    expect(await firedBans(1)).toHaveLength(1)
  })
})
