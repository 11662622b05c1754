// Logins, logouts and the tokens of a user: valid until they are used up, banned, deleted or too old.
import { describe, expect, it } from 'vitest'
import { buildToken, recordTokenUse, reserveToken } from '../../shared/accounts/commands/tokens.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import type { Token } from '../../shared/accounts/token.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { tokenKey, tokenUseKey } from '../../shared/table/design.ts'
import { ENDPOINTS, sendTo, sequentially } from '../world/endpoints.ts'
import { rawRequest } from '../world/raw.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { dumpAt } from '../world/table.ts'
import { useWorld } from '../world/world.ts'

const LIFETIME_MINUTES = 60

const world = useWorld({ settings: { 'auth.token_lifetime_minutes': LIFETIME_MINUTES } })

const PASSWORD = 'correct horse battery staple'
function login(body: unknown) {
  return world.call(auth.login, { body })
}

function idOf(token: string): number {
  return Number(token.split('_')[2])
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
    await world.table.write({
      Update: {
        Key: tokenKey(user.id, idOf(user.token)),
        UpdateExpression: 'SET created_at = :then',
        ExpressionAttributeValues: { ':then': Math.floor(Date.now() / 1000) - LIFETIME_MINUTES * 60 },
      },
    })
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

  it('gets ACCOUNT_BANNED from a login only with the right password, and fires no event', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['user.logged-in'] })
    const user = await world.create.user({ password: PASSWORD })
    await ban(user.id)
    expect((await login({ email: user.email, password: 'wrong' })).code).toBe('INVALID_CREDENTIALS')
    const right = await login({ email: user.email, password: PASSWORD })
    expect([right.status, right.code]).toEqual([403, 'ACCOUNT_BANNED'])

    const witness = await world.create.user({ password: PASSWORD })
    await login({ email: witness.email, password: PASSWORD })
    await subscriber.waitFor(1)
    expect(subscriber.received.map(({ data }) => data.id)).toEqual([witness.id])
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
    for (const [device_name, name] of [
      ['Phone', 'Phone'],
      [' ', 'api'],
    ]) {
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

describe('POST /api/v1/auth/logout', () => {
  it('deletes only the token of the request, whatever its abilities, once for concurrent requests', async () => {
    const user = await world.create.user()
    const token = await world.create.token(user.id, ['comments:write'])
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.call(auth.logout, { token })))
    for (const { status } of answers) expect([200, 401]).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect((await world.call(auth.logout, { token })).code).toBe('UNAUTHENTICATED')
    expect((await world.call(me.getMe, { token: user.token })).status).toBe(200)
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
    for (const authorization of [
      token,
      `Basic ${token}`,
      `Token ${token}`,
      `Bearer${token}`,
      'Bearer',
      'Bearer  ',
    ]) {
      expect(await statusFor(authorization)).toBe(401)
    }
  })
})

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
    const drawn = await Promise.all(Array.from({ length: count }, () => reserveToken(world.table)))
    const tokens = drawn
      .toSorted((a, b) => a.id - b.id)
      .map((id, n) => ({
        ...buildToken(id, draft, 0).token,
        created_at: nowSeconds - count + n,
        ...change,
      }))
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

  it('returns 403 when a token without `admin` deletes one with it, but lists it', async () => {
    const { id: userId, token } = await world.create.user()
    const admin = await world.create.token(userId, ['admin'])
    const both = await world.create.token(userId, ['user', 'admin'])
    const remove = (presented: string, text: string) =>
      world.call(me.deleteToken, { token: presented, params: { id: idOf(text) } })

    expect([(await remove(token, admin)).code, (await remove(token, both)).code]).toEqual([
      'FORBIDDEN',
      'FORBIDDEN',
    ])
    expect(await listed(token)).toEqual([token, admin, both].map(idOf))
    expect((await remove(both, admin)).status).toBe(200)
    expect((await remove(token, admin)).code).toBe('NOT_FOUND')
    expect((await world.call(auth.logout, { token: both })).status).toBe(200)
    expect((await world.call(me.listTokens, { token: both })).code).toBe('UNAUTHENTICATED')
    expect(await listed(token)).toEqual([idOf(token)])
  })
})

describe('a token with the ability `builds:read`', () => {
  it('is deleted by a token with `admin` only', async () => {
    const { id } = await world.create.user()
    const [user, admin] = [
      await world.create.token(id, ['user']),
      await world.create.token(id, ['user', 'admin']),
    ]
    const { data } = await create(admin, ['builds:read'])
    const remove = (token: string) => world.call(me.deleteToken, { token, params: { id: data.id } })
    const refused = await remove(user)
    expect([refused.status, refused.code, refused.message]).toEqual([
      403,
      'FORBIDDEN',
      'Only a token with the ability `admin` can delete a token with `admin` or `builds:read`.',
    ])
    expect((await remove(admin)).status).toBe(200)
    expect((await remove(user)).code).toBe('NOT_FOUND')
  })

  const create = (token: string, abilities: string[]) =>
    world.call(me.createToken, { token, body: { name: 'build', abilities } })

  it('is refused to a user who is no admin, and allows nothing else', async () => {
    const user = await world.create.user()
    const refused = await create(user.token, ['user', 'builds:read'])
    expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN'])
    const { data } = await create(world.admin, ['builds:read'])
    const { token } = data
    expect((await world.call(me.getMe, { token })).code).toBe('FORBIDDEN')
    expect((await create(token, ['user'])).code).toBe('FORBIDDEN')
    expect((await world.call(adminPosts.listPosts, { token })).code).toBe('FORBIDDEN')
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
