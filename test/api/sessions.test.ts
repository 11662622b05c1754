// Logins and tokens: valid until they are banned, deleted or too old, and what their abilities allow.
import { describe, expect, it } from 'vitest'
import { newToken, recordTokenUse } from '../../shared/accounts/commands/tokens.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import type { Token } from '../../shared/accounts/token.ts'
import { ABILITIES, type Ability } from '../../shared/http/audience.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setMembers } from '../../shared/table/action.ts'
import { tokenKey, tokenUseKey } from '../../shared/table/design.ts'
import { ENDPOINTS, sendTo, sequentially } from '../support/endpoints.ts'
import { rawRequest } from '../support/raw.ts'
import { dumpAt } from '../support/table.ts'
import { useWorld } from '../support/world.ts'

const LIFETIME_MINUTES = 60

const world = useWorld({ settings: { 'auth.token_lifetime_minutes': LIFETIME_MINUTES } })

const PASSWORD = 'correct horse battery staple'
function login(body: unknown) {
  return world.call(auth.login, { body })
}

function idOf(token: string): number {
  return Number(token.split('_')[2])
}

function secondsAgo(seconds: number): number {
  return Math.floor(Date.now() / 1000) - seconds
}

/** Changes the record of a token behind the back of the service. */
function alter(userId: number, token: string, members: Record<string, unknown>) {
  const Key = tokenKey(userId, idOf(token))
  return world.table.write({ Update: { Key, ...setMembers(members) } })
}

function ban(userId: number, isBanned = true) {
  return changeUser(world.table, userId, user => ({
    ...user,
    ban: isBanned ? { reason: null, until: null } : null,
  }))
}

const closed = ENDPOINTS.filter(({ endpoint }) => endpoint.ability !== null)
async function everywhere({ name, endpoint }: (typeof closed)[number], token: string) {
  const { status, code } = await sendTo(world.baseUrl)(endpoint, { token, body: '{' })
  return [name, status, code]
}

describe('a token', () => {
  it('is invalid everywhere after the lifetime in the settings, even if it is older than the setting', async () => {
    const user = await world.create.user({ abilities: [...ABILITIES] })
    await alter(user.id, user.token, { created_at: secondsAgo(LIFETIME_MINUTES * 60) })
    const answers = await sequentially(closed, endpoint => everywhere(endpoint, user.token))
    expect(answers).toEqual(closed.map(({ name }) => [name, 401, 'UNAUTHENTICATED']))
  })
})

describe('a banned user', () => {
  it('gets ACCOUNT_BANNED from every endpoint with a token, until the ban is lifted', async () => {
    const user = await world.create.user({ abilities: [...ABILITIES] })
    await ban(user.id)
    const answers = await sequentially(closed, endpoint => everywhere(endpoint, user.token))
    expect(answers).toEqual(closed.map(({ name }) => [name, 403, 'ACCOUNT_BANNED']))
    await ban(user.id, false)
    expect((await world.call(me.getMe, { token: user.token })).status).toBe(200)
  })
})

describe('POST /api/v1/auth/login', () => {
  it('creates a new token each time, and the earlier tokens stay valid', async () => {
    const user = await world.create.user({ password: PASSWORD })
    const body = { email: ` ${user.email} `, password: PASSWORD }
    const [one, other] = [(await login(body)).data, (await login(body)).data]
    expect([one.token_type, other.token_type]).toEqual(['Bearer', 'Bearer'])
    expect(other.token).not.toBe(one.token)
    for (const { token } of [one, other]) {
      expect((await world.call(me.getMe, { token })).data.abilities).toEqual(['user'])
    }
  })

  it('names the token by the device, or "api"', async () => {
    const user = await world.create.user({ password: PASSWORD })
    for (const [device_name, name] of Object.entries({ Phone: 'Phone', ' ': 'api' })) {
      const { token } = (await login({ email: user.email, password: PASSWORD, device_name })).data
      const tokens = (await world.call(me.listTokens, { token })).data
      expect(tokens.find(({ is_current }) => is_current)?.name).toBe(name)
    }
  })

  it('answers in JSON whatever the Accept header says', async () => {
    const headers = { Accept: 'text/html', 'Content-Type': 'text/plain' }
    const body = JSON.stringify({ email: 'a@b.example', password: 'wrong' })
    const answer = await rawRequest(world.baseUrl, 'POST', '/api/v1/auth/login', { headers, body })
    expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/json; charset=utf-8'])
    expect(answer.headers).not.toHaveProperty('www-authenticate')
  })
})

describe('GET /api/v1/me', () => {
  it('accepts the scheme Bearer in any case, and no other scheme', async () => {
    const { token } = await world.create.user()
    const statusFor = async (Authorization: string) =>
      (await rawRequest(world.baseUrl, 'GET', '/api/v1/me', { headers: { Authorization } })).status
    for (const right of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}`]) {
      expect(await statusFor(right)).toBe(200)
    }
    const others = [token, `Basic ${token}`, `Token ${token}`, `Bearer${token}`, 'Bearer', 'Bearer  ']
    for (const other of others) expect(await statusFor(other)).toBe(401)
  })
})

describe('GET, POST and DELETE /api/v1/me/tokens', () => {
  const listed = async (token: string) =>
    (await world.call(me.listTokens, { token })).data.map(({ id }) => id).sort((a, b) => a - b)

  it('does not list expired tokens, but deletes them', async () => {
    const user = await world.create.user()
    const old = await world.create.token(user.id, ['user'])
    await alter(user.id, old, { expires_at: secondsAgo(1) })
    expect(await listed(user.token)).toEqual([idOf(user.token)])
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
    const Key = tokenUseKey(idOf(user.token))
    await world.table.write({ Update: { Key, ...setMembers({ last_used_at: secondsAgo(3_000) }) } })
    expect(Date.parse((await used()) ?? '')).toBeLessThan(Date.parse(first ?? ''))
  })

  it('uses a token of a newer version by the abilities that this version knows', async () => {
    const user = await world.create.user()
    await alter(user.id, user.token, { abilities: ['media:write', 'user'] })
    const { data } = await world.call(me.listTokens, { token: user.token })
    expect(data.map(({ abilities }) => abilities)).toEqual([['user']])
    const body = { name: 'n', abilities: ['media:write'] }
    const refused = await world.call(me.createToken, { token: user.token, body })
    expect([refused.status, Object.keys(refused.fields ?? {})]).toEqual([422, ['abilities.0']])
  })

  /** Stores `count` tokens of a user, the first created `count` seconds ago and one each second. */
  const plant = async (userId: number, count: number, by_login: boolean, change: Partial<Token> = {}) => {
    const first = secondsAgo(count)
    const draft = { user_id: userId, name: 'n', abilities: ['user' as const], by_login }
    const drawn = await Promise.all(Array.from({ length: count }, () => newToken(world.table, draft, 0)))
    const tokens = drawn
      .map(({ token }) => token)
      .toSorted((a, b) => a.id - b.id)
      .map((token, n) => ({ ...token, created_at: first + n, ...change }))
    await world.table.transact(
      tokens.map(token => ({ Put: { Item: { ...tokenKey(userId, token.id), ...token } } })),
    )
    return tokens.map(({ id }) => id)
  }
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
    const own = await plant(user.id, 50, false, { created_at: secondsAgo(200) })
    const [first = 0, second, ...others] = await plant(user.id, 49, true)
    await recordTokenUse(world.table, first, secondsAgo(0))
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

describe('a dump of the table', () => {
  it('contains no usable token, password, link, webhook secret or IP address', async () => {
    const [email, newPassword] = ['dump@example.com', 'a password of this dump alone']
    const registered = { name: 'Ada', email, password: PASSWORD }
    const { token } = (await world.call(auth.register, { body: registered })).data
    const verification = await world.mailTo(email)
    await world.call(auth.forgotPassword, { body: { email } })
    const reset = await world.mailTo(email, 2)
    await world.call(auth.resetPassword, { body: { token: reset.token, password: newPassword } })
    const user = await world.create.user()
    const { secret } = await world.create.webhook('http://127.0.0.1:9/')
    await world.call(adminPosts.createPost, {
      token: world.admin,
      body: { title: 'T' },
      headers: { 'Idempotency-Key': 'k' },
    })
    const items = await dumpAt(world.dynamodbEndpoint, world.tableName)
    const dump = JSON.stringify(items)

    const texts = [token, world.admin, user.token, verification.token, reset.token]
    for (const hidden of [
      ...texts.map(text => text.slice(-43)),
      PASSWORD,
      newPassword,
      world.owner.password,
      secret,
      secret.slice(6),
      '127.0.0.1"',
    ]) {
      expect(dump).not.toContain(hidden)
    }
  })
})
