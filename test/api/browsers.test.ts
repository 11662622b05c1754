// Headers for browsers and caches: CORS, request ids and security headers.
import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../support/endpoints.ts'
import { rawRequest } from '../support/raw.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const EXPOSED = words(`
ETag Retry-After X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset X-Request-Id Idempotent-Replayed
Deprecation Sunset`)
const ALLOWED = words(`
Authorization Content-Type Idempotency-Key If-Match If-None-Match Preview-Token X-Request-Id`)
const EVERYWHERE = {
  'access-control-allow-origin': '*',
  'x-request-id': expect.stringMatching(/^[\w.-]{1,128}$/),
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000',
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

describe('every answer', () => {
  it('has CORS and security headers and a request id, including errors and the gateway’s own answers', async () => {
    const headers = { Authorization: 'Bearer nonsense' }
    const requests: [method: string, path: string, body?: string][] = [
      ['GET', '/api/v1/posts'],
      ['GET', '/api/v1/posts/unknown'],
      ['GET', '/api/v1/me'],
      ['GET', '/nowhere'],
      ['GET', '/openapi.json'],
      ['POST', '/api/v1/auth/login', 'x'.repeat(11 * 1024 * 1024)],
    ]
    for (const [method, path, body] of requests) {
      const answer = await rawRequest(world.baseUrl, method, path, { headers, ...(body && { body }) })
      expect(answer.headers, path).toMatchObject(EVERYWHERE)
      for (const name of EXPOSED) {
        expect(answer.headers['access-control-expose-headers'], path).toContain(name)
      }
      if (path !== '/openapi.json') expect(answer.json, path).toHaveProperty('success')
    }
  })

  it('to a preflight of any path is 204 with the allowed methods and headers', async () => {
    const paths = ENDPOINTS.map(({ endpoint }) => endpoint.path)
    for (const path of [...new Set(paths), '/', '/nowhere/at/all', '/openapi.json']) {
      const target = path.replace(/\{\w+\}/g, '1')
      const { status, headers, text } = await rawRequest(world.baseUrl, 'OPTIONS', target)
      expect([path, status, text]).toEqual([path, 204, ''])
      expect(headers).toMatchObject(EVERYWHERE)
      expect(headers).not.toHaveProperty('x-ratelimit-limit')
      for (const name of ALLOWED) expect(headers['access-control-allow-headers']).toContain(name)
      for (const name of ['GET', 'POST', 'PATCH', 'DELETE']) {
        expect(headers['access-control-allow-methods']).toContain(name)
      }
    }
  })
})

describe('X-Request-Id', () => {
  const idFor = async (clientId: string) => {
    const headers = { 'X-Request-Id': clientId }
    const answer = await rawRequest(world.baseUrl, 'GET', '/api/v1/posts/unknown', { headers })
    return answer.headers['x-request-id']
  }

  const valid = ['a', '-', 'A.b_c-9', 'x'.repeat(128)]
  it.each(valid)('is kept in the answer to a failed request if it is %j', async clientId => {
    expect(await idFor(clientId)).toBe(clientId)
  })

  const invalid = ['', 'with space', 'x'.repeat(129), 'a/b', 'a,b', 'a"b', 'é']
  it.each(invalid)('is replaced without an error if it is %j', async clientId => {
    const one = await idFor(clientId)
    expect(one).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(await idFor(clientId)).not.toBe(one)
  })
})
