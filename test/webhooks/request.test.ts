// The answers of subscribers, complete or not, and the outcome of each.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { deliverTo, failed, httpSubscriber, rawSubscriber, SHORT_MS, succeeded } from './servers.ts'

function answering(status: number, headers: Record<string, string> = {}) {
  return httpSubscriber((_request, response) => response.writeHead(status, headers).end('thanks'))
}

/** It writes this, and no more. */
function writing(part: string) {
  return rawSubscriber(socket => void socket.write(part))
}

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n')
  const timer = setInterval(() => socket.write('X-Filler: a\r\n'), 20)
  socket.on('close', () => clearInterval(timer))
}

/** With a longer deadline until the machine was fast enough to get the status. */
async function deliverForStatus(port: number) {
  for (let timeoutMs = SHORT_MS; ; timeoutMs *= 2) {
    const outcome = await deliverTo(port, { timeoutMs })
    if (outcome.response_status !== null || timeoutMs > 2_500) return { ...outcome, timeoutMs }
  }
}

describe('a delivery', () => {
  it('is one POST of exactly this text, uncompressed and on its own connection', async () => {
    const body = '{"title":"Grüße 👋"}'
    const requests: { request: IncomingMessage; body: string }[] = []
    const { port, connections } = await httpSubscriber(async (request, response) => {
      requests.push({ request, body: await text(request) })
      response.end()
    })
    expect(await deliverTo(port, { body })).toMatchObject(succeeded())
    expect(requests).toHaveLength(1)
    expect(connections()).toBe(1)
    const [first] = requests
    expect(first?.body).toBe(body)
    expect(first?.request).toMatchObject({ method: 'POST', url: '/hook?from=cms' })
    expect(first?.request.headers).toEqual({
      'content-type': 'application/json',
      signature: 'abc',
      host: `127.0.0.1:${port}`,
      connection: 'close',
      'accept-encoding': 'identity',
      'content-length': '24',
    })
  })

  it.each([200, 201, 204, 299])('succeeds on %i', async status => {
    const { port } = await answering(status)
    expect(await deliverTo(port)).toMatchObject(succeeded(status))
  })

  it.each([199, 400, 404, 410, 429, 500, 503, 600])('fails on %i', async status => {
    const { port } = await rawSubscriber(socket =>
      socket.end(`HTTP/1.1 ${status} Status\r\nContent-Length: 0\r\n\r\n`),
    )
    // 199 announces an answer that never comes.
    const expected = status < 200 ? failed('connection') : failed('status', status)
    expect(await deliverTo(port)).toMatchObject(expected)
  })

  it.each([
    ...[301, 302, 303, 307, 308].map(status => [status, 'redirect'] as const),
    ...[300, 304, 305, 306, 399].map(status => [status, 'status'] as const),
  ])('fails on %i as %s, with and without a location, which it does not follow', async (status, error) => {
    const other = await answering(200)
    const locations: Record<string, string>[] = [{}, { Location: `http://127.0.0.1:${other.port}/` }]
    for (const headers of locations) {
      const { port, connections } = await answering(status, headers)
      const outcome = await deliverTo(port)
      expect(outcome).toMatchObject(failed(error, status))
      expect(outcome.error_detail?.includes('Change the URL')).toBe(error === 'redirect')
      expect([connections(), other.connections()]).toEqual([1, 0])
    }
  })

  it('waits for the final answer after an interim one', async () => {
    const { port } = await rawSubscriber(socket =>
      socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'),
    )
    expect(await deliverTo(port)).toMatchObject(succeeded(202))
  })
})

describe('a delivery to a slow subscriber', () => {
  it.each([
    ['never answers', () => {}],
    ['drips its headers', drip],
  ])('fails by the deadline when the subscriber %s', async (_what, onConnection) => {
    const { port } = await rawSubscriber(onConnection)
    const outcome = await deliverTo(port, { timeoutMs: SHORT_MS })
    expect(outcome).toMatchObject(failed('timeout'))
    expect(outcome.duration_ms).toBeGreaterThanOrEqual(SHORT_MS - 5)
  })

  it.each(['Content-Length: 100\r\n', 'Transfer-Encoding: chunked\r\n', ''])(
    'fails by the deadline and keeps the status when the body never ends (%j)',
    async header => {
      const { port } = await writing(`HTTP/1.1 200 OK\r\n${header}\r\n1\r\na\r\n`)
      expect(await deliverForStatus(port)).toMatchObject(failed('timeout', 200))
    },
  )

  it('takes as long as its status when that is a failure and the body never ends', async () => {
    const { port } = await writing('HTTP/1.1 500 Error\r\nContent-Length: 100\r\n\r\na')
    const { timeoutMs, ...outcome } = await deliverForStatus(port)
    expect(outcome).toMatchObject(failed('status', 500))
    expect(outcome.duration_ms).toBeLessThan(timeoutMs)
  })

  it('succeeds at 16 kB of an endless body, and closes the connection', async () => {
    let written = 0
    const { port } = await httpSubscriber((_request, response) => {
      const part = Buffer.alloc(4096)
      const more = () => {
        while (!response.destroyed && response.write(part)) written += part.length
        written += part.length
      }
      response.on('drain', more)
      more()
    })
    const outcome = await deliverTo(port)
    expect(outcome).toMatchObject(succeeded())
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })
})

describe('what is kept of an answer', () => {
  const answerOf = async (headers: string[], body: string | Uint8Array) => {
    const { port } = await httpSubscriber((_request, response) => {
      response.writeHead(500, headers).end(body)
    })
    return (await deliverTo(port)).response ?? undefined
  }

  it('are the first headers, up to 2 kB, those of the same name together', async () => {
    const many = Array.from({ length: 100 }, (_, n) => [`X-Header-${n}`, 'x'.repeat(50)]).flat()
    const answer = await answerOf(['Set-Cookie', 'a=1', 'set-cookie', 'b=2: c', ...many], '')
    expect(answer).toMatchObject({ headers: { 'set-cookie': 'a=1, b=2: c' }, body_start: '' })
    const bytes = Object.entries(answer?.headers ?? {}).reduce(
      (sum, [name, value]) => sum + name.length + value.length + 3,
      0,
    )
    expect(bytes).toBeLessThanOrEqual(2_048)
    expect(bytes).toBeGreaterThan(1_900)
  })

  it('is the body with the replacement character for bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.of(0xff, 0x41), Buffer.from('é').subarray(0, 1)])
    expect((await answerOf([], bytes))?.body_start).toBe('\ufffdA')
  })

  it.each(['é', '👋'])('has no part of %s at the end of its 1,024 bytes', async character => {
    const before = 'x'.repeat(1_024 - Buffer.byteLength(character) + 1)
    expect((await answerOf([], `${before}${character}`))?.body_start).toBe(before)
  })
})
