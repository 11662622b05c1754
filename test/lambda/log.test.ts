// The log has one line per request, with enough to find it and nothing about the caller.
import { describe, expect, it } from 'vitest'
import { auth } from '../../shared/accounts/contract.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { reply } from '../../shared/http/reply.ts'
import { posts } from '../../shared/posts/contract.ts'
import { openChain } from '../support/chain.ts'
import { use } from '../support/use.ts'

const chain = use(openChain)
const { getPost } = posts

describe('the log of requests', () => {
  it('has one line with id, endpoint and status for each request, even a failed one', async () => {
    const call = chain.open(
      { getPost },
      { getPost: async ({ params }) => Promise.reject(new ApiError('NOT_FOUND', `No ${params.slug}.`)) },
    )
    const headers = { 'X-Request-Id': 'build-7' }
    await call(getPost, { params: { slug: 'secret-slug' }, headers, sourceIp: '203.0.113.77' })
    const [line, ...others] = chain.logged.splice(0)
    expect(others).toEqual([])
    expect(line).toEqual({
      level: 'info',
      message: 'request',
      request_id: 'build-7',
      gateway_request_id: 'gateway',
      method: 'GET',
      resource: '/api/v1/posts/{slug}',
      status: 404,
      duration_ms: expect.any(Number),
    })
  })

  it('uses the gateway’s id, which the answer and the access log also have', async () => {
    const call = chain.open({ getPost }, { getPost: async () => reply({} as never) })
    const { headers } = await call(getPost, { params: { slug: 'a' } })
    expect(headers['X-Request-Id']).toBe('gateway')
    const [line] = chain.logged.splice(0)
    expect(line).toMatchObject({ request_id: 'gateway' })
    expect(line).not.toHaveProperty('gateway_request_id')
  })

  it('has the requested path, cut to 200 characters, if there is no endpoint', async () => {
    const call = chain.open({ getPost }, { getPost: async () => reply({} as never) })
    const unknown = { ...getPost, path: '/{proxy+}' }
    const paths = { short: '/wp-login.php', long: `/${'x'.repeat(5_000)}` }
    for (const path of Object.values(paths)) await call(unknown, { path })
    const lines = chain.logged.splice(0)
    expect(lines).toMatchObject([
      { message: 'request', resource: paths.short, status: 404 },
      { message: 'request', resource: paths.long.slice(0, 200), status: 404 },
    ])
  })

  it('has no IP address, token, password or e-mail address, even in failures', async () => {
    const call = chain.open({ login: auth.login }, { login: async () => reply({} as never) })
    const { token } = await chain.user(['user'])
    const body = { email: 'ada@example.com', password: 'correct horse' }
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'ValidationException', times: 1 })
    for (let n = 0; n < 2; n++) await call(auth.login, { body, token, sourceIp: '203.0.113.77' })
    const lines = JSON.stringify(chain.logged.splice(0))
    expect(lines).toContain('limiter failed')
    for (const hidden of [token, '203.0.113.77', body.email, body.password]) {
      expect(lines).not.toContain(hidden)
    }
  })
})
