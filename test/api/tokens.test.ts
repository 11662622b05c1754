// The tokens that users create, list and delete, and what their abilities allow.
import { describe, expect, it } from 'vitest'
import { newToken, recordTokenUse } from '../../shared/accounts/commands/tokens.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import type { Token } from '../../shared/accounts/token.ts'
import type { Ability } from '../../shared/http/audience.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { tokenKey, tokenUseKey } from '../../shared/table/design.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ settings: { 'auth.token_lifetime_minutes': 60 } })

const PASSWORD = 'correct horse battery staple'
function login(body: unknown) {
  return world.call(auth.login, { body })
}

function idOf(token: string): number {
  return Number(token.split('_')[2])
}

describe('GET, POST and DELETE /api/v1/me/tokens', () => {
  it('does not list expired tokens, but deletes them', async () => {
    const user = await world.create.user()
    const old = await world.create.token(user.id, ['user'])
    await world.table.write({
      Update: {
        Key: tokenKey(user.id, idOf(old)),
        UpdateExpression: 'SET expires_at = :then',
        ExpressionAttributeValues: { ':then': Math.floor(Date.now() / 1000) - 1 },
      },
    })
    const listed = await world.call(me.listTokens, { token: user.token })
    expect(listed.data.map(({ id }) => id)).toEqual([idOf(user.token)])
    expect((await world.call(me.getMe, { token: old })).code).toBe('UNAUTHENTICATED')
    const request = { token: user.token, params: { id: idOf(old) } }
    expect((await world.call(me.deleteToken, request)).status).toBe(200)
    expect((await world.call(me.deleteToken, request)).code).toBe('NOT_FOUND')
  })

  it('records the last use of a token at most once an hour', async () => {
    const user = await world.create.user()
    const used = async () => (await world.call(me.listTokens, { token: user.token })).data[0]?.last_used_at
    await used()
    const first = await used()
    expect(Date.parse(first ?? '')).toBeGreaterThan(Date.now() - 60_000)
    await world.table.write({
      Update: {
        Key: tokenUseKey(idOf(user.token)),
        UpdateExpression: 'SET last_used_at = :then',
        ExpressionAttributeValues: { ':then': Math.floor(Date.now() / 1000) - 3_000 },
      },
    })
    expect(Date.parse((await used()) ?? '')).toBeLessThan(Date.parse(first ?? ''))
  })

  it('uses a token of a newer version by the abilities that this version knows', async () => {
    const user = await world.create.user()
    await world.table.write({
      Update: {
        Key: tokenKey(user.id, idOf(user.token)),
        UpdateExpression: 'SET abilities = :abilities',
        ExpressionAttributeValues: { ':abilities': ['media:write', 'user'] },
      },
    })
    const { data } = await world.call(me.listTokens, { token: user.token })
    expect(data.map(({ abilities }) => abilities)).toEqual([['user']])
    const body = { name: 'n', abilities: ['media:write'] }
    const refused = await world.call(me.createToken, { token: user.token, body })
    expect([refused.status, Object.keys(refused.fields ?? {})]).toEqual([422, ['abilities.0']])
  })

  /** Stores `count` tokens of a user, the first created `count` seconds ago and one each second. */
  const plant = async (userId: number, count: number, by_login: boolean, change: Partial<Token> = {}) => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    const draft = { user_id: userId, name: 'n', abilities: ['user' as const], by_login }
    const drawn = await Promise.all(Array.from({ length: count }, () => newToken(world.table, draft, 0)))
    const tokens = drawn
      .map(({ token }) => token)
      .toSorted((a, b) => a.id - b.id)
      .map((token, n) => ({ ...token, created_at: nowSeconds - count + n, ...change }))
    await world.table.transact(
      tokens.map(token => ({ Put: { Item: { ...tokenKey(userId, token.id), ...token } } })),
    )
    return tokens.map(({ id }) => id)
  }
  const listed = async (token: string) =>
    (await world.call(me.listTokens, { token })).data.map(({ id }) => id).sort((a, b) => a - b)

  it('allows at most a hundred tokens, even with concurrent requests, and replaces expired ones', async () => {
    const { id, token } = await world.create.user()
    await plant(id, 10, false, { created_at: 0 })
    await plant(id, 97, false)
    const body = { name: 'n', abilities: ['user'] }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => world.call(me.createToken, { token, body })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422])
    expect(answers.find(({ status }) => status === 422)?.fields).toEqual({
      tokens: ['Must be at most 100: delete one first.'],
    })
    expect(await listed(token)).toHaveLength(100)
  })

  it('replaces the least recently used token of a login when a login exceeds the limit', async () => {
    const user = await world.create.user({ password: PASSWORD })
    const own = await plant(user.id, 50, false, { created_at: Math.floor(Date.now() / 1000) - 200 })
    const [first = 0, second, ...others] = await plant(user.id, 49, true)
    await recordTokenUse(world.table, first, Math.floor(Date.now() / 1000))
    const { token } = (await login({ email: user.email, password: PASSWORD })).data
    const left = [...own, idOf(user.token), first, ...others, idOf(token)].sort((a, b) => a - b)
    expect(await listed(token)).toEqual(left)
    expect(left).not.toContain(second)
  })

  it('returns 403 for a missing ability, and says how to get a token with it', async () => {
    const { id, token } = await world.create.user()
    const narrow = await world.create.token(id, ['comments:write'])
    const answers = await Promise.all([
      world.call(adminPosts.listPosts, { token }),
      world.call(me.getMe, { token: narrow }),
    ])
    expect(answers.map(({ code, message }) => [code, message])).toEqual([
      [
        'FORBIDDEN',
        'This endpoint needs the ability `admin`. Only the owner creates admin tokens: npm run operator -- token create.',
      ],
      [
        'FORBIDDEN',
        'This endpoint needs the ability `user`. A token with it comes from POST /api/v1/auth/login.',
      ],
    ])
  })

  const owned: Ability[][] = [['admin'], ['user', 'admin'], ['builds:read']]
  it.each(owned.map(abilities => ({ abilities })))(
    'lists a token with $abilities, which only a token with `admin` deletes',
    async ({ abilities }) => {
      const { id, token } = await world.create.user()
      const admin = await world.create.token(id, ['user', 'admin'])
      const other = await world.create.token(id, abilities)
      const remove = (presented: string) =>
        world.call(me.deleteToken, { token: presented, params: { id: idOf(other) } })
      const refused = await remove(token)
      expect([refused.status, refused.message]).toEqual([
        403,
        'Only a token with the ability `admin` can delete a token with `admin` or `builds:read`.',
      ])
      expect(await listed(token)).toEqual([token, admin, other].map(idOf))
      expect((await remove(admin)).status).toBe(200)
      expect((await remove(token)).code).toBe('NOT_FOUND')
    },
  )

  it('returns 403 when a user who is no admin asks for `builds:read`', async () => {
    const create = (token: string, abilities: string[]) =>
      world.call(me.createToken, { token, body: { name: 'build', abilities } })
    const user = await world.create.user()
    expect((await create(user.token, ['user', 'builds:read'])).code).toBe('FORBIDDEN')
    expect((await create(world.admin, ['builds:read'])).data.abilities).toEqual(['builds:read'])
  })
})
