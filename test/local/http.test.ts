// The answers of the HTTP server of the local run: a function's, and its own.
// Others: test/api/browsers.test.ts, test/api/request-targets.test.ts, for HEAD test/openapi/served.test.ts.
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it } from 'vitest'
import { answering, plainGet, startHttp } from './http-world.ts'

const LIMIT_BYTES = 10 * 1024 * 1024

describe('the answer of a function', () => {
  it('is passed on with its status, its headers and its body', async () => {
    const { url } = await startHttp(async () => ({
      statusCode: 201,
      headers: { 'X-One': 'a', 'Set-Cookie': ['a=1', 'b=2'] },
      body: Buffer.from('mäde'),
    }))
    const answer = await fetch(`${url}/api/v1/contact`, { method: 'POST' })
    expect([answer.status, await answer.text()]).toEqual([201, 'mäde'])
    expect([answer.headers.get('x-one'), answer.headers.getSetCookie()]).toEqual(['a', ['a=1', 'b=2']])
    expect(answer.headers.get('content-length')).toBe('5')
  })

  it.each([204, 304])('has neither body nor length with the status %i', async statusCode => {
    const { url } = await startHttp(async () => ({ statusCode, headers: {}, body: Buffer.from('text') }))
    const answer = await fetch(`${url}/api/v1/posts`)
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
      statusCode,
      null,
      '',
    ])
  })

  it('is compressed from 1,024 bytes on for clients that accept gzip', async () => {
    const { url } = await startHttp((_, { body }) => answering(Buffer.from(body ?? '', 'base64').toString()))
    const codingOf = async (bytes: number, accepted: string) => {
      const request = { method: 'POST', headers: { 'Accept-Encoding': accepted }, body: 'x'.repeat(bytes) }
      const answer = await fetch(`${url}/api/v1/contact`, request)
      expect(await answer.text()).toBe('x'.repeat(bytes))
      return answer.headers.get('content-encoding')
    }
    for (const accepted of ['gzip', 'br, GZIP', '*', 'gzip;q=0.5']) {
      expect([accepted, await codingOf(1_024, accepted)]).toEqual([accepted, 'gzip'])
    }
    expect(await codingOf(1_023, 'gzip')).toBe(null)
    for (const accepted of ['br', 'identity', 'gzip;q=0', 'gzip; q=0.000', 'gzipped']) {
      expect([accepted, await codingOf(1_024, accepted)]).toEqual([accepted, null])
    }
  })
})

describe('a body of more than 10 MB', () => {
  it('gets a 413 that the client receives, and no function gets it', async () => {
    const { url, calls } = await startHttp()
    const post = (bytes: number) =>
      fetch(`${url}/api/v1/contact`, { method: 'POST', body: 'x'.repeat(bytes) })
    const answer = await post(LIMIT_BYTES + 1)
    expect([answer.status, await answer.json()]).toMatchObject([
      413,
      { success: false, errors: { code: 'PAYLOAD_TOO_LARGE' } },
    ])
    expect(calls).toEqual([])
    expect((await post(LIMIT_BYTES)).status).toBe(200)
  })

  it('is read up to 100 MB only', async () => {
    const { url } = await startHttp()
    const part = Buffer.alloc(4 * 1024 * 1024)
    let sentMb = 0
    const parts = function* () {
      for (; sentMb < 400; sentMb += 4) yield part
    }
    const sending = request(`${url}/api/v1/contact`, { method: 'POST', agent: false })
    sending.on('response', answer => answer.on('error', () => {}).resume())
    await expect(pipeline(parts(), sending)).rejects.toThrow()
    expect(sentMb).toBeLessThan(200)
  })
})

describe('a function that throws', () => {
  it('answers with 500 in the envelope, is logged, and the next request works', async () => {
    let isBroken = true
    const { url, lines } = await startHttp(() => {
      return isBroken ? Promise.reject(new Error('out of order')) : answering('fine')
    })
    const answer = await fetch(`${url}/api/v1/posts?q=private`)
    expect(answer.status).toBe(500)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    expect(await answer.json()).toMatchObject({ success: false, errors: { code: 'INTERNAL_ERROR' } })
    expect(lines).toEqual([expect.stringMatching(/^error GET \/api\/v1\/posts: Error: out of order\n/)])
    isBroken = false
    expect(await (await fetch(`${url}/api/v1/posts`)).text()).toBe('fine')
  })
})

describe('an answer that cannot be written', () => {
  it('closes its connection, and the next request works', async () => {
    let value = 'two\nlines'
    const { url } = await startHttp(async () => ({
      statusCode: 200,
      headers: { X: value },
      body: Buffer.of(),
    }))
    await expect(plainGet(`${url}/api/v1/posts`)).rejects.toThrow('hang up')
    value = 'one line'
    expect((await fetch(`${url}/api/v1/posts`)).status).toBe(200)
  })
})

describe('a server that stops', () => {
  it('finishes running requests and accepts no new ones', async () => {
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { url, stop } = await startHttp(async () => {
      begun.resolve()
      await gate.promise
      return await answering('done')
    })
    const running = plainGet(`${url}/api/v1/posts`)
    await begun.promise
    const stopping = stop()
    await expect(plainGet(`${url}/api/v1/posts`)).rejects.toThrow('ECONNREFUSED')
    gate.resolve()
    expect(await running).toBe('done')
    await stopping
  })

  it('ends requests that run for four more seconds', async () => {
    const begun = Promise.withResolvers<void>()
    const { url, stop } = await startHttp(() => {
      begun.resolve()
      return new Promise(() => {})
    })
    const hanging = expect(plainGet(`${url}/api/v1/posts`)).rejects.toThrow('hang up')
    await begun.promise
    await Promise.all([stop(), hanging])
  })
})
