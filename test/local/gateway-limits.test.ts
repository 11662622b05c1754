// The limits of the gateway: slow functions, large requests, and its stop.
import { describe, expect, it } from 'vitest'
import { answeredBy, gatewayResponse, plainGet, returning, startWorld } from './gateway-world.ts'

describe('a slow function', () => {
  const slow = 'exports.handler = () => new Promise(done => setTimeout(done, 2000, { statusCode: 200 }))'

  it('gets a 504 from the gateway after the integration timeout', async () => {
    const world = await startWorld({
      methods: { 'GET /x': answeredBy('F', { timeoutInMillis: 50 }) },
      code: { F: slow },
      functions: { Timeout: 5 },
      responses: gatewayResponse('INTEGRATION_TIMEOUT', 504, 'TIMEOUT'),
    })
    const response = await world.call('/x')
    expect([response.status, await response.json()]).toMatchObject([504, { errors: { code: 'TIMEOUT' } }])
  })

  it('ends at its own timeout, and the next request works', async () => {
    const world = await startWorld({
      methods: { 'GET /x': 'F' },
      code: {
        F: returning('{ statusCode: 200, body: event.headers.loop ? (() => { for (;;); })() : "fine" }'),
      },
      functions: { Timeout: 1 },
    })
    expect((await world.call('/x', { headers: { loop: '1' } })).status).toBe(502)
    expect(await (await world.call('/x')).text()).toBe('fine')
  })
})

describe('a request that is too large', () => {
  const responses = gatewayResponse('REQUEST_TOO_LARGE', 413, 'PAYLOAD_TOO_LARGE')

  it.each([
    ['10 MB as a body', 'x'.repeat(10 * 1024 * 1024 + 1)],
    ['6 MB as an event', '"'.repeat(4_000_000)],
  ])('gets a 413 that the client receives: more than %s', async (_, body) => {
    const world = await startWorld({ methods: { 'POST /x': 'Echo' }, responses })
    const response = await world.call('/x', { method: 'POST', body })
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { errors: { code: 'PAYLOAD_TOO_LARGE' } },
    ])
    expect((await world.call('/x', { method: 'POST', body: 'small' })).status).toBe(200)
  })
})

describe('a stopping gateway', () => {
  it('finishes running requests and accepts no new ones', async () => {
    const slow = 'exports.handler = () => new Promise(done => setTimeout(done, 300, { body: "done" }))'
    const world = await startWorld({ methods: { 'GET /x': 'F' }, code: { F: slow } })
    const running = plainGet(`${world.url}/x`)
    await expect.poll(() => world.call('/nope').then(({ status }) => status)).toBe(403)
    await world.stop()
    expect(await running).toBe('done')
    await expect(world.call('/x')).rejects.toThrow()
  })
})
