// Logins, logouts and the tokens of a user: valid until they are used up, banned, deleted or too old.
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { tokenKey } from '../../shared/table/design.ts'
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
