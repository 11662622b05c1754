// Every endpoint counts each request once, in one bucket, and reports it in every answer.
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { posts } from '../../shared/posts/contract.ts'
import { DOCUMENT } from '../../shared/service/api-functions.ts'
import { ENDPOINTS, sendTo } from '../support/endpoints.ts'
import { type RawAnswer, rawRequest } from '../support/raw.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

/** There are more endpoints than requests that some buckets admit. */
const SCALE = 10

const world = useWorld({ environment: { LIMIT_SCALE: String(SCALE) } })

/** The limits of the API's contract. The first pattern that matches the name of an endpoint counts. */
const BUCKETS: [name: RegExp, bucket: string, perMinute: number][] = [
  [/^POST \/api\/v1\/auth\/login$/, 'login', 5],
  [/^POST \/api\/v1\/posts\/{slug}\/comments$/, 'guest-comments', 5],
  [/^POST \/api\/v1\/newsletter\/subscribe$/, 'subscribe', 5],
  [/^POST \/api\/v1\/contact$/, 'contact', 5],
  [/^POST \/api\/v1\/auth\/register$/, 'register', 3],
  [/^POST \/api\/v1\/auth\/forgot-password$/, 'forgot-password', 3],
  [/^POST \/api\/v1\/auth\/reset-password$/, 'reset-password', 3],
  [/^POST \/api\/v1\/me\/verify-email$/, 'verify-email', 3],
  [/ \/api\/v1\/me(\/|$)/, 'me', 120],
  [/ \/api\/v1\/admin\//, 'admin', 30],
  [/ \/api\/v1\//, 'public', 60],
]
function bucketOf(name: string): [string, number] {
  const [, bucket = '', perMinute = 0] = BUCKETS.find(([pattern]) => pattern.test(name)) ?? []
  return [bucket, perMinute * SCALE]
}

function limitHeadersOf({ headers }: RawAnswer) {
  return ['limit', 'remaining', 'reset'].map(name => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN))
}

/** Sends again if the minute ended in between, or if a busy table could not count. */
function inOneMinute(sendAll: () => Promise<RawAnswer[]>): Promise<RawAnswer[]> {
  return until('answers of one minute', async () => {
    const answers = await sendAll()
    const resets = new Set(answers.map(answer => limitHeadersOf(answer)[2]))
    return resets.size === 1 && !resets.has(Number.NaN) && answers
  })
}

function send(endpoint: Endpoint, token: string) {
  return sendTo(world.baseUrl)(endpoint, { token, body: '{}' })
}

/** For each bucket, a request that counts in it. */
const PROBES: Record<string, [method: string, path: string]> = {
  public: ['GET', '/api/v1/posts/unknown'],
  login: ['POST', '/api/v1/auth/login'],
  subscribe: ['POST', '/api/v1/newsletter/subscribe'],
  contact: ['POST', '/api/v1/contact'],
  'guest-comments': ['POST', '/api/v1/posts/unknown/comments'],
  register: ['POST', '/api/v1/auth/register'],
  'forgot-password': ['POST', '/api/v1/auth/forgot-password'],
  'reset-password': ['POST', '/api/v1/auth/reset-password'],
  'verify-email': ['POST', '/api/v1/me/verify-email'],
  me: ['GET', '/api/v1/me'],
  admin: ['GET', '/api/v1/admin/categories'],
}
async function probe(bucket: string, token: string) {
  const [method = '', path = ''] = PROBES[bucket] ?? []
  const headers = { Authorization: `Bearer ${token}` }
  return limitHeadersOf(await rawRequest(world.baseUrl, method, path, { headers }))
}

describe.each(ENDPOINTS)('$name', ({ name, endpoint }) => {
  it('counts a request with a token in the bucket of its path', async () => {
    const { token } = await world.create.user({ abilities: ['user', 'admin'] })
    const [bucket, perMinute] = bucketOf(name)
    const [limit, remaining = 0, reset] = await probe(bucket, token)
    const answer = await send(endpoint, token)
    expect([limit, answer.status < 500, ...limitHeadersOf(answer)]).toEqual([
      perMinute,
      true,
      perMinute,
      remaining - 1,
      reset,
    ])
  })
})

describe.each(ENDPOINTS.filter(({ endpoint }) => endpoint.limit.per === 'user'))('$name', ({ endpoint }) => {
  it('counts a request without a valid token in the anonymous bucket of the address', async () => {
    const invalid = 'hcs_1_1_nobody'
    const [, remaining = 0] = await probe('me', invalid)
    const answer = await send(endpoint, invalid)
    expect([answer.status, ...limitHeadersOf(answer).slice(0, 2)]).toEqual([401, 60 * SCALE, remaining - 1])
  })
})

describe('the limiter', () => {
  it('does not count preflights, unknown paths and methods, malformed ids and bodies that are too large', async () => {
    const before = await world.call(posts.listPosts)
    const huge = 'x'.repeat(2 * 1024 * 1024 + 1)
    const uncounted: [string, string, string?][] = [
      ['OPTIONS', '/api/v1/posts'],
      ['GET', '/api/v1/nothing'],
      ['DELETE', '/api/v1/posts'],
      ['GET', '/api/v1/admin/posts/abc'],
      ['POST', '/api/v1/auth/logout', huge],
      ['POST', '/api/v1/auth/login', huge],
    ]
    for (const [method, path, body] of uncounted) {
      const answer = await rawRequest(world.baseUrl, method, path, body === undefined ? {} : { body })
      expect([path, ...limitHeadersOf(answer)]).toEqual([path, Number.NaN, Number.NaN, Number.NaN])
    }
    const after = await world.call(posts.listPosts)
    const remaining = [before, after].map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')))
    expect(remaining[1]).toBe((remaining[0] ?? 0) - 1)
  })
})

describe('the public bucket', () => {
  it('counts HEAD, the document, 304, a 404 of a record and 422 like any other request', async () => {
    const requests: [number, string, string][] = [
      [200, 'HEAD', '/api/v1/posts'],
      [200, 'GET', DOCUMENT.path],
      [304, 'GET', '/api/v1/posts'],
      [404, 'GET', '/api/v1/posts/unknown'],
      [422, 'GET', '/api/v1/posts?page=0'],
    ]
    const [first, ...answers] = await inOneMinute(async () => {
      const sent = [await rawRequest(world.baseUrl, 'GET', '/api/v1/posts')]
      const headers = { 'If-None-Match': sent[0]?.headers.etag ?? '' }
      for (const [status, method, path] of requests) {
        const options = status === 304 ? { headers } : {}
        sent.push(await rawRequest(world.baseUrl, method, path, options))
      }
      return sent
    })
    const [, remaining = 0, reset] = first ? limitHeadersOf(first) : []
    expect(answers.map(answer => [answer.status, ...limitHeadersOf(answer)])).toEqual(
      requests.map(([status], n) => [status, 60 * SCALE, remaining - 1 - n, reset]),
    )
  })
})
