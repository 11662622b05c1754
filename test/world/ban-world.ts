// Bans for tests: admins ban and unban users, and a subscriber receives the events.
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { me } from '../../shared/accounts/contract.ts'
import { openSubscriber } from './subscriber.ts'
import { until } from './until.ts'
import type { World } from './world.ts'

export const NOT_BANNED = { is_banned: false, ban_reason: null, banned_until: null }

export function inSeconds(seconds: number) {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

export function banWorld(world: World) {
  const ban = (id: number, body: unknown = {}, headers: Record<string, string> = {}) =>
    world.call(adminUsers.banUser, { token: world.admin, params: { id }, body, headers })
  const unban = (id: number) => world.call(adminUsers.unbanUser, { token: world.admin, params: { id } })
  const show = async (id: number) =>
    (await world.call(adminUsers.getUser, { token: world.admin, params: { id } })).data
  const list = async (query: Record<string, string | number>) =>
    (await world.call(adminUsers.listUsers, { token: world.admin, query })).data
  /** The code of the answer to a request of the user; undefined if it succeeds. */
  const codeOf = async (token: string) => (await world.call(me.getMe, { token })).code

  /** Returns the bans that fired, including late ones: waits for `count`, and for the ban of a newer user. */
  const listen = async () => {
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

  return { ban, unban, show, list, codeOf, listen }
}
