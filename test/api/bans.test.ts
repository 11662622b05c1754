// Bans of users, and the event user.banned: once for each ban, and again after a ban has ended.
import { describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { me } from '../../shared/accounts/contract.ts'
import { getUser } from '../../shared/accounts/store/users.ts'
import type { User } from '../../shared/accounts/user.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const NOT_BANNED = { is_banned: false, ban_reason: null, banned_until: null }

function inSeconds(seconds: number) {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

/** The body may be left out. */
function ban(id: number, body?: unknown) {
  return world.call(adminUsers.banUser, { token: world.admin, params: { id }, body })
}

function unban(id: number) {
  return world.call(adminUsers.unbanUser, { token: world.admin, params: { id } })
}

async function show(id: number) {
  return (await world.call(adminUsers.getUser, { token: world.admin, params: { id } })).data
}

async function list(query: Record<string, string | number>) {
  return (await world.call(adminUsers.listUsers, { token: world.admin, query })).data
}

/** The code of the answer to a request of the user; undefined if it succeeds. */
async function codeOf(token: string) {
  return (await world.call(me.getMe, { token })).code
}

/** Returns the bans that fired, including late ones: waits for `count`, and for the ban of a newer user. */
async function listen() {
  const subscriber = await openSubscriber()
  await world.create.webhook(subscriber.url, { events: ['user.banned'] })
  return async (count: number) => {
    await until(`${count} bans`, () => subscriber.received.length >= count)
    const { id: lastId } = await world.create.user()
    await ban(lastId)
    await until('the last ban', () => subscriber.received.some(({ data }) => data.id === lastId))
    return subscriber.received.filter(({ data }) => data.id !== lastId)
  }
}

describe('POST /api/v1/admin/users/{id}/ban', () => {
  it('bans a user from the next request on, and fires user.banned once', async () => {
    const firedBans = await listen()
    const { token, ...user } = await world.create.user()
    const { status, data } = await ban(user.id, { reason: '  Spam ', until: '2999-01-01' })
    const banned_until = '2999-01-01T00:00:00+00:00'
    const banned = { id: user.id, is_banned: true, ban_reason: 'Spam', banned_until }
    expect([status, data]).toMatchObject([200, banned])
    expect(await show(user.id)).toEqual(data)
    expect(await list({ q: user.email })).toEqual([data])
    expect(await codeOf(token)).toBe('ACCOUNT_BANNED')

    const [event, ...others] = await firedBans(1)
    expect(others).toEqual([])
    const { id, name, email } = user
    expect(event?.data).toEqual({ id, url: world.baseUrl, name, email, reason: 'Spam', banned_until })
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

  it('is over at its end, and the next ban fires another event', async () => {
    const firedBans = await listen()
    const { id, token } = await world.create.user()
    await ban(id, { reason: 'Cool down', until: inSeconds(600) })
    const past = Math.floor(Date.now() / 1000) - 1
    const ended = (user: User): User => ({ ...user, ban: { reason: 'Cool down', until: past } })
    await changeUser(world.table, id, ended)
    expect(await codeOf(token)).toBeUndefined()
    expect(await show(id)).toMatchObject(NOT_BANNED)
    expect((await list({ per_page: 100 })).find(user => user.id === id)).toMatchObject(NOT_BANNED)
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
    expect(await faultsOf(999_999, { until: past })).toEqual([422, 'VALIDATION_ERROR', 'until'])
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
})
