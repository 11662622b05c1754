// Rate limits: each request counts once, in its own bucket, and a refused one gets Retry-After.
import { describe, expect, it } from 'vitest'
import { auth, me } from '../../shared/accounts/contract.ts'
import { foldedEmail } from '../../shared/http/email.ts'
import { clientKey } from '../../shared/limits/client-key.ts'
import { findByEmail } from '../../shared/newsletter/store.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { DOCUMENT } from '../../shared/service/api.ts'
import { system } from '../../shared/site/contract.ts'
import { limitKey } from '../../shared/table/design.ts'
import { newsletterWorld } from '../world/newsletter-world.ts'
import { rawRequest } from '../world/raw.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld({ environment: { LIMIT_SCALE: '1' } })

type WithHeaders = { headers: Headers }
function limitHeadersOf({ headers }: WithHeaders) {
  return ['Limit', 'Remaining', 'Reset'].map(name => Number(headers.get(`X-RateLimit-${name}`)))
}

/** One machine has one address, so the tests of limits per address depend on their order. */
describe('the public bucket of an address', () => {
  it('allows 60 requests a minute to all public endpoints, including health, logout, HEAD and the document', async () => {
    const first = await world.call(posts.listPosts)
    const [limit, remaining, reset = 0] = limitHeadersOf(first)
    expect([limit, remaining]).toEqual([60, 59])
    expect(reset - Date.now() / 1000).toBeGreaterThan(50)

    expect(limitHeadersOf(await world.call(system.getHealth))[1]).toBe(58)
    expect(limitHeadersOf(await world.call(auth.logout))[1]).toBe(57)
    await rawRequest(world.baseUrl, 'HEAD', '/api/v1/posts')
    await rawRequest(world.baseUrl, 'OPTIONS', '/api/v1/posts')
    await rawRequest(world.baseUrl, 'GET', '/api/v1/unknown')
    expect((await rawRequest(world.baseUrl, 'GET', DOCUMENT.path)).headers['x-ratelimit-remaining']).toBe(
      '55',
    )
    expect(limitHeadersOf(await world.call(posts.getPost, { params: { slug: 'unknown' } }))[1]).toBe(54)

    const rest = await Promise.all(Array.from({ length: 54 }, () => world.call(posts.listPosts)))
    expect(rest.map(({ status }) => status)).toEqual(Array.from({ length: 54 }, () => 200))
    expect((await rawRequest(world.baseUrl, 'GET', DOCUMENT.path)).json).toMatchObject({
      errors: { code: 'RATE_LIMITED' },
    })
    const spoofed: Record<string, string> = {
      'X-Forwarded-For': '9.9.9.9',
      'X-Real-IP': '9.9.9.9',
      Forwarded: 'for=9.9.9.9',
    }
    for (const headers of [undefined, spoofed]) {
      const refused = await world.call(posts.listPosts, headers && { headers })
      const nowSeconds = Date.now() / 1000
      expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED'])
      expect(limitHeadersOf(refused)).toEqual([60, 0, reset])
      expect(Math.abs(Number(refused.headers.get('Retry-After')) - (reset - nowSeconds))).toBeLessThanOrEqual(
        1,
      )
    }
  })

  it('is separate from the one for /me and /admin without a valid token, which allows 60 more', async () => {
    const codes = []
    for (let n = 0; n < 60; n++) codes.push((await world.call(me.getMe, { token: 'nonsense' })).code)
    expect(new Set(codes)).toEqual(new Set(['UNAUTHENTICATED']))
    expect((await world.call(adminPosts.listPosts)).code).toBe('RATE_LIMITED')
    expect((await world.call(me.getMe, { token: world.owner.userToken })).status).toBe(200)
  })
})

describe('the bucket of a user', () => {
  it('allows 30 admin requests a minute with all tokens of the user, including forbidden requests', async () => {
    const user = await world.create.user({ abilities: ['user'] })
    const admin = await world.create.token(user.id, ['admin'])
    const second = await world.create.token(user.id, ['admin', 'user'])
    for (let n = 0; n < 10; n++) {
      for (const token of [user.token, admin, second]) {
        expect((await world.call(adminPosts.listPosts, { token })).status).toBe(
          token === user.token ? 403 : 200,
        )
      }
    }

    expect((await world.call(adminPosts.listPosts, { token: admin })).code).toBe('RATE_LIMITED')
    expect(
      (await world.call(adminPosts.createPost, { token: second, body: { title: 'One too many' } })).code,
    ).toBe('RATE_LIMITED')
    expect((await world.call(adminPosts.listPosts, { token: user.token })).code).toBe('FORBIDDEN')
    const me120 = await world.call(me.getMe, { token: second })
    expect(limitHeadersOf(me120).slice(0, 2)).toEqual([120, 119])
  })

  it('allows requests again after a minute', async () => {
    const user = await world.create.user({ abilities: ['user'] })
    const body = { name: 'n', abilities: ['user'] }
    const create = () => world.call(me.createToken, { token: user.token, body })
    await Promise.all(Array.from({ length: 120 }, create))
    expect((await create()).status).toBe(429)

    const other = await world.create.user({ abilities: ['user'] })
    await world.age('me', other.id, { hits: 120, windowEndsInMs: -1 })
    const again = await world.call(me.getMe, { token: other.token })
    expect([again.status, limitHeadersOf(again)[1]]).toEqual([200, 119])
  })
})

describe('the bucket of login', () => {
  it('allows 5 attempts in any 60 s, right or wrong, with Retry-After until the oldest expires', async () => {
    const body = { email: world.owner.email, password: 'wrong' }
    const startedMs = performance.now()
    const tries = await Promise.all(Array.from({ length: 5 }, () => world.call(auth.login, { body })))
    expect(tries.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'INVALID_CREDENTIALS'))

    const refused = await world.call(auth.login, { body: { ...body, password: world.owner.password } })
    expect(refused.code).toBe('RATE_LIMITED')
    const wait = Number(refused.headers.get('Retry-After'))
    const waitedSeconds = (performance.now() - startedMs) / 1000
    expect(wait).toBeGreaterThanOrEqual(60 - waitedSeconds)
    expect(wait).toBeLessThanOrEqual(60)
  })
})

describe('a mail over the limit of its address', () => {
  it('is suppressed, and the link in the last delivered mail stays valid', async () => {
    const { address, subscribe, mailedAgo } = newsletterWorld(world)
    const email = address()
    await subscribe(email)
    await world.mailTo(email)
    const first = await findByEmail(world.table, email)
    await mailedAgo(first?.id ?? 0, 600)
    const before = await findByEmail(world.table, email)

    const key = Object.entries(world.secrets.values).find(([id]) => id.startsWith('ClientKey'))?.[1] ?? ''
    const bucket = limitKey('mail-confirm-newsletter', clientKey(foldedEmail(email), key))
    const hits = [Date.now(), Date.now(), Date.now()]
    await world.table.write({ Put: { Item: { ...bucket, hits, revision: 7 } } })
    expect((await subscribe(email)).status).toBe(200)
    const after = await until('the mail to be suppressed', async () => {
      const current = await findByEmail(world.table, email)
      return current && current.revision === (before?.revision ?? 0) + 2 ? current : undefined
    })
    expect(after).toEqual({ ...before, revision: after.revision })
    expect(world.mails.filter(({ to }) => to === email)).toHaveLength(1)
  })
})
