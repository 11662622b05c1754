// Every endpoint counts each request once, in one bucket, and reports it in every answer.
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { posts } from '../../shared/posts/contract.ts'
import { DOCUMENT } from '../../shared/service/api-functions.ts'
import { ENDPOINTS, pathOf, sendTo } from '../support/endpoints.ts'
import { type RawAnswer, rawRequest } from '../support/raw.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

/** There are more endpoints than requests that some buckets admit. */
const SCALE = 10

const world = useWorld({ environment: { LIMIT_SCALE: String(SCALE) } })

/** The limits of the API's contract: a request that counts in each bucket, and which others count there. */
const BUCKETS: [perMinute: number, request: string, others?: RegExp][] = [
  [5, 'POST /api/v1/auth/login'],
  [5, 'POST /api/v1/posts/unknown/comments'],
  [5, 'POST /api/v1/newsletter/subscribe'],
  [5, 'POST /api/v1/contact'],
  [3, 'POST /api/v1/auth/register'],
  [3, 'POST /api/v1/auth/forgot-password'],
  [3, 'POST /api/v1/auth/reset-password'],
  [3, 'POST /api/v1/me/verify-email'],
  [120, 'GET /api/v1/me', / \/api\/v1\/me(\/|$)/],
  [30, 'GET /api/v1/admin/categories', / \/api\/v1\/admin\//],
  [60, 'GET /api/v1/posts/unknown', / \/api\/v1\//],
]
/** The first bucket that matches counts. */
function bucketOf(endpoint: Endpoint) {
  const name = `${endpoint.method} ${pathOf(endpoint)}`
  const bucket = BUCKETS.find(([, request, others]) => request === name || others?.test(name))
  const [perMinute = 0, request = ''] = bucket ?? []
  return { perMinute: perMinute * SCALE, request }
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

async function probe(request: string, token: string) {
  const [method = '', path = ''] = request.split(' ')
  const headers = { Authorization: `Bearer ${token}` }
  return limitHeadersOf(await rawRequest(world.baseUrl, method, path, { headers }))
}

describe.each(ENDPOINTS)('$name', ({ endpoint }) => {
  it('counts a request with a token in the bucket of its path', async () => {
    const { token } = await world.create.user({ abilities: ['user', 'admin'] })
    const { perMinute, request } = bucketOf(endpoint)
    const [limit, remaining = 0, reset] = await probe(request, token)
    const answer = await send(endpoint, token)
    expect(answer.status).toBeLessThan(500)
    expect([limit, ...limitHeadersOf(answer)]).toEqual([perMinute, perMinute, remaining - 1, reset])
  })
})

describe.each(ENDPOINTS.filter(({ endpoint }) => endpoint.limit.per === 'user'))('$name', ({ endpoint }) => {
  it('counts a request without a valid token in the anonymous bucket of the address', async () => {
    const invalid = 'hcs_1_1_nobody'
    const [, remaining = 0] = await probe('GET /api/v1/me', invalid)
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
