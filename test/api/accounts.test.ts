// Login, logout, and the tokens of a user.
import { describe, expect, it } from 'vitest'
import { auth, me } from '../../shared/accounts/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { tokenKey, tokenUseKey } from '../../shared/table/design.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { dumpAt } from '../world/table.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const PASSWORD = 'correct horse battery staple'
function login(body: unknown) {
  return world.call(auth.login, { body })
}

describe('POST /api/v1/auth/login', () => {
  it('returns a token with the ability user, and fires user.logged-in', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['user.logged-in'] })
    const user = await world.create.user({ password: PASSWORD })

    const { data } = await login({
      email: user.email.toUpperCase(),
      password: PASSWORD,
      device_name: 'Phone',
    })

    expect(data.user).toEqual({ id: user.id, name: user.name, email: user.email, email_verified: true })
    const profile = (await world.call(me.getMe, { token: data.token })).data
    expect(profile.abilities).toEqual(['user'])
    const tokens = (await world.call(me.listTokens, { token: data.token })).data
    expect(tokens.find(({ is_current }) => is_current)?.name).toBe('Phone')
    const [event] = await subscriber.waitFor(1)
    expect(event?.data).toEqual({ id: user.id, url: world.baseUrl, name: user.name, email: user.email })
  })

  it('names the token "api" by default', async () => {
    const user = await world.create.user({ password: PASSWORD })
    const nameless = (await login({ email: user.email, password: PASSWORD, device_name: ' ' })).data
    const [token] = (await world.call(me.listTokens, { token: nameless.token })).data
    expect(token?.name).toBe('api')
  })
})

describe('POST /api/v1/auth/logout', () => {
  it('deletes only the token of the request, whatever its abilities are', async () => {
    const user = await world.create.user()
    const other = await world.create.token(user.id, ['comments:write'])
    expect((await world.call(auth.logout, { token: other })).data).toEqual({})
    expect((await world.call(auth.logout, { token: other })).code).toBe('UNAUTHENTICATED')
    expect((await world.call(me.getMe, { token: user.token })).status).toBe(200)
  })
})

describe('GET, POST and DELETE /api/v1/me/tokens', () => {
  it('records the last use of a token at most once an hour', async () => {
    const user = await world.create.user()
    const used = async () => (await world.call(me.listTokens, { token: user.token })).data[0]?.last_used_at
    await used()
    const first = await used()
    expect(Date.parse(first ?? '')).toBeGreaterThan(Date.now() - 60_000)
    const [, , id = ''] = user.token.split('_')
    await world.table.write({
      Update: {
        Key: tokenUseKey(Number(id)),
        UpdateExpression: 'SET last_used_at = :then',
        ExpressionAttributeValues: { ':then': Math.floor(Date.now() / 1000) - 3_000 },
      },
    })
    expect(Date.parse((await used()) ?? '')).toBeLessThan(Date.parse(first ?? ''))
  })

  it('returns 401 for an expired token', async () => {
    const user = await world.create.user()
    const [, , id = ''] = user.token.split('_')
    await world.table.write({
      Update: {
        Key: tokenKey(user.id, Number(id)),
        UpdateExpression: 'SET expires_at = :now',
        ExpressionAttributeValues: { ':now': Math.floor(Date.now() / 1000) },
      },
    })
    expect((await world.call(me.getMe, { token: user.token })).code).toBe('UNAUTHENTICATED')
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
