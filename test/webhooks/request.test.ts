// The answers of subscribers, complete or not, and the outcome of each.
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { deliverTo, httpSubscriber, rawSubscriber, SHORT_MS, withGrowingDeadline } from './servers.ts'

function answering(status: number, headers: Record<string, string> = {}) {
  return httpSubscriber((_request, response) => response.writeHead(status, headers).end('thanks'))
}

describe('a delivery', () => {
  it('is one POST of exactly this text, uncompressed and on its own connection', async () => {
    const body = '{"title":"Grüße 👋"}'
    const requests: { request: IncomingMessage; body: string }[] = []
    const { port, connections } = await httpSubscriber(async (request, response) => {
      requests.push({ request, body: await text(request) })
      response.end()
    })
    expect(await deliverTo(port, { body })).toMatchObject({
      status: 'succeeded',
      response_status: 200,
      error: null,
    })
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
    expect(await deliverTo(port)).toMatchObject({ status: 'succeeded', response_status: status, error: null })
  })

  it.each([199, 400, 404, 410, 429, 500, 503, 600])('fails on %i', async status => {
    const { port } = await rawSubscriber(socket =>
      socket.end(`HTTP/1.1 ${status} Status\r\nContent-Length: 0\r\n\r\n`),
    )
    // 199 announces an answer that never comes.
    const expected =
      status < 200
        ? { response_status: null, error: 'connection' }
        : { response_status: status, error: 'status' }
    expect(await deliverTo(port)).toMatchObject({ status: 'failed', ...expected })
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
      expect(outcome).toMatchObject({ status: 'failed', response_status: status, error })
      expect(outcome.error_detail?.includes('Change the URL')).toBe(error === 'redirect')
      expect([connections(), other.connections()]).toEqual([1, 0])
    }
  })

  it('waits for the final answer after an interim one', async () => {
    const { port } = await rawSubscriber(socket =>
      socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'),
    )
    expect(await deliverTo(port)).toMatchObject({ status: 'succeeded', response_status: 202 })
  })
})

describe('a delivery to a slow subscriber', () => {
  it.each([
    ['never answers', () => {}],
    ['drips its headers', (drip: (part: string) => void) => drip('X-Filler: a\r\n')],
  ])('fails by the deadline when the subscriber %s', async (_what, start) => {
    const { port } = await rawSubscriber(socket => {
      start(part => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write(part), 20)
        socket.on('close', () => clearInterval(timer))
      })
    })
    const outcome = await deliverTo(port, { timeoutMs: SHORT_MS })
    expect(outcome).toMatchObject({ status: 'failed', response_status: null, error: 'timeout' })
    expect(outcome.duration_ms).toBeGreaterThanOrEqual(SHORT_MS - 5)
  })

  it.each(['Content-Length: 100\r\n', 'Transfer-Encoding: chunked\r\n', ''])(
    'fails by the deadline and keeps the status when the body never ends (%j)',
    async header => {
      const { port } = await rawSubscriber(
        socket => void socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n1\r\na\r\n`),
      )
      const outcome = await withGrowingDeadline(
        timeoutMs => deliverTo(port, { timeoutMs }),
        ({ response_status }) => response_status !== null,
      )
      expect(outcome).toMatchObject({ status: 'failed', response_status: 200, error: 'timeout' })
    },
  )

  it('takes as long as its status when that is a failure and the body never ends', async () => {
    const { port } = await rawSubscriber(
      socket => void socket.write('HTTP/1.1 500 Error\r\nContent-Length: 100\r\n\r\na'),
    )
    let deadlineMs = 0
    const outcome = await withGrowingDeadline(
      timeoutMs => {
        deadlineMs = timeoutMs
        return deliverTo(port, { timeoutMs })
      },
      ({ response_status }) => response_status !== null,
    )
    expect(outcome).toMatchObject({ response_status: 500, error: 'status' })
    expect(outcome.duration_ms).toBeLessThan(deadlineMs)
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
    expect(outcome).toMatchObject({ status: 'succeeded', response_status: 200, error: null })
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  it('fails by its status, whether or not the body after it ends', async () => {
    const { port } = await rawSubscriber(
      socket => void socket.write('HTTP/1.1 500 Oh\r\nContent-Length: 9\r\n\r\n'),
    )
    const outcome = await withGrowingDeadline(
      timeoutMs => deliverTo(port, { timeoutMs }),
      ({ response_status }) => response_status !== null,
    )
    expect(outcome).toMatchObject({ response_status: 500, error: 'status' })
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
