// Requests as bytes: whatever the target, the Host or the bytes are, the answer is an envelope and no 5xx.
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const Failure = z.object({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  errors: z.object({ code: z.string() }),
})

type RawRequest = { method?: string; target?: string; version?: string; headers?: string[]; body?: string }

function host(): string {
  return new URL(world.baseUrl).host
}

/** Sends these bytes on a connection of its own. Texts are Latin-1, so that each character is a byte. */
async function exchange(bytes: string) {
  const { hostname, port } = new URL(world.baseUrl)
  const socket = connect(Number(port), hostname)
  // Not `end`: Node takes the end of a connection for the end of the request.
  socket.write(bytes, 'latin1')
  const answer = Buffer.concat(await socket.toArray()).toString()
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const json: unknown = body === '' ? undefined : JSON.parse(body)
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? []
  return { status: Number(status), head, json }
}

function send({ method = 'GET', target = '/api/v1/posts', version = '1.1', headers, body = '' }: RawRequest) {
  const lines = [...(headers ?? [`Host: ${host()}`]), `Content-Length: ${body.length}`, 'Connection: close']
  return exchange(`${method} ${target} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

function expectFailure({ status, head, json }: Awaited<ReturnType<typeof send>>, expected: number) {
  expect([status, Failure.safeParse(json).error]).toEqual([expected, undefined])
  expect(head).toMatch(/^x-request-id: ./im)
  expect(head).toMatch(/^access-control-allow-origin: \*/im)
}

describe('a target in absolute form', () => {
  it('is served as its path', async () => {
    for (const target of [`http://${host()}/api/v1/posts?page=2`, `HTTPS://${host()}/api/v1/posts`]) {
      const { status, json } = await send({ target })
      expect([status, json]).toMatchObject([200, { success: true, data: [] }])
    }
    expectFailure(await send({ target: `http://${host()}/api/v1/nothing` }), 404)
    expectFailure(await send({ target: `http://${host()}/api/v1/posts?page=0` }), 422)
    expectFailure(await send({ target: `http://${host()}`, method: 'POST' }), 404)
  })

  it('does not make up for a Host header that is refused', async () => {
    const headers = ['Host: evil.example']
    expectFailure(await send({ target: `http://${host()}/api/v1/posts`, headers }), 421)
  })
})

describe('the target *', () => {
  it('is answered with 400, except for OPTIONS', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
      const answer = await send({ method, target: '*' })
      if (method !== 'HEAD') expectFailure(answer, 400)
      expect(answer.status).toBe(400)
    }
    expect((await send({ method: 'OPTIONS', target: '*' })).status).toBe(204)
  })
})

describe('a target that is no path', () => {
  it.each(['/api/v1/posts/caf\xe9', 'api/v1/posts', '**', '*?q=1', '/api/v1/posts\0'])(
    'is answered with 400: %j',
    async target => {
      expectFailure(await send({ target }), 400)
    },
  )

  it('is answered with 400 to CONNECT, also with a path', async () => {
    for (const target of ['127.0.0.1:443', '/api/v1/posts', '*']) {
      expectFailure(await send({ method: 'CONNECT', target }), 400)
    }
  })
})

describe('a target that names nothing', () => {
  const targets = [
    '//',
    '//api/v1/posts',
    '/api/v1//posts',
    '/api/v1/posts;a=b',
    '/api/v1/posts/a%2Fb',
    '/api/v1/posts/%00',
    '/api/v1/posts/../admin/posts',
    '/api/v1/posts#fragment',
    '/*',
    `/api/v1/posts/${'a'.repeat(12_000)}`,
    `/${'/'.repeat(12_000)}`,
  ]
  it.each(targets.map(target => ({ target, start: target.slice(0, 40) })))(
    'is answered with 404: $start',
    async ({ target }) => {
      expectFailure(await send({ target }), 404)
    },
  )

  it('is answered with 431 if it is larger than 16 kB', async () => {
    expectFailure(await send({ target: `/api/v1/posts?q=${'a'.repeat(20_000)}` }), 431)
    expectFailure(await send({ target: `/api/v1/posts?q=${'a'.repeat(2_000_000)}` }), 431)
  })
})

describe('the Host header', () => {
  it('is given once, and else answered with 400', async () => {
    for (const version of ['1.0', '1.1']) {
      expectFailure(await send({ headers: [], version }), 400)
      expectFailure(await send({ headers: [`Host: ${host()}`, `Host: ${host()}`], version }), 400)
      expectFailure(await send({ headers: [`Host: ${host()}`, 'Host: evil.example'], version }), 400)
    }
  })
})

describe('the Expect header', () => {
  it('changes no answer', async () => {
    expectFailure(await send({ headers: [`Host: ${host()}`, 'Expect: anything'], target: '/nothing' }), 404)
  })
})

describe('bytes that are no HTTP', () => {
  it.each([
    'nonsense\r\n\r\n',
    'NONSENSE /api/v1/posts HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /api/v1/posts HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n',
    'POST /api/v1/contact HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ])('are answered with 400: %j', async bytes => {
    expectFailure(await exchange(bytes), 400)
  })
})
