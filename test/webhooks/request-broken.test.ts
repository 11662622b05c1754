// Subscribers that refuse, break off or do not speak HTTP, and requests that cannot be sent.
import { describe, expect, it } from 'vitest'
import {
  closedPort,
  deliver,
  deliverTo,
  failed,
  httpSubscriber,
  rawSubscriber,
  succeeded,
} from './servers.ts'

describe('a delivery to a broken subscriber', () => {
  it('fails when the subscriber refuses the connection', async () => {
    expect(await deliverTo(await closedPort())).toMatchObject(failed('connection'))
  })

  it.each([
    ['resets before its answer', '', null],
    ['resets inside its headers', 'HTTP/1.1 200 OK\r\nContent-', null],
    ['resets inside its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 200],
    ['resets inside a body without a length', 'HTTP/1.1 200 OK\r\n\r\nhalf', 200],
  ])('fails with the status it received, broken off %s', async (_when, part, response_status) => {
    const { port } = await rawSubscriber(socket => {
      socket.once('data', () =>
        socket.write(part || '\r\n', () => setTimeout(() => socket.resetAndDestroy(), 20)),
      )
    })
    expect(await deliverTo(port)).toMatchObject(failed('connection', response_status))
  })

  it('fails when the subscriber closes without an answer', async () => {
    const { port } = await rawSubscriber(socket => void socket.once('data', () => socket.end()))
    expect(await deliverTo(port)).toMatchObject(failed('connection'))
  })

  const OK = 'HTTP/1.1 200 OK\r\n'
  const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
  const FILLERS = 'X-Filler: 0123456789abcdef\r\n'.repeat(3_000)
  const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const BROKEN: [string, string, number | null, string][] = [
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', null, 'not valid HTTP'],
    ['HTTP/0.9', '<p>Thanks</p>', null, 'not valid HTTP'],
    ['an invalid status', 'HTTP/1.1 abc OK\r\n\r\n', null, 'not valid HTTP'],
    ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`, null, 'not valid HTTP'],
    ['a broken chunk', `${CHUNKED}zz\r\n`, 200, 'answered 200, but what followed was not valid HTTP'],
    ['endless headers', `${OK}${FILLERS}`, null, 'more than 16 kB of headers'],
    ['many small headers', `${OK}${'a: b\r\n'.repeat(9_000)}`, null, 'more than 16 kB of headers'],
    ['one long header', `${OK}X: ${'a'.repeat(70_000)}`, null, 'more than 16 kB of headers'],
    ['an endless status line', `HTTP/1.1 200 ${'O'.repeat(70_000)}`, null, 'more than 16 kB of headers'],
    ['endless trailers', `${CHUNKED}1\r\na\r\n0\r\n${FILLERS}`, 200, 'more than 16 kB of headers'],
    ['endless interim answers', INTERIM.repeat(1_000), null, 'more than 16 kB of headers'],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      null,
      'switched to another protocol',
    ],
  ]

  it.each(BROKEN)(
    'fails when the subscriber answers with %s',
    async (_what, answer, response_status, detail) => {
      const { port } = await rawSubscriber(socket => void socket.write(answer))
      expect(await deliverTo(port)).toMatchObject({
        ...failed('protocol', response_status),
        error_detail: expect.stringContaining(detail),
      })
    },
  )
})

describe('a delivery to a subscriber that goes on after its answer', () => {
  it.each([
    ['a body after 204', 'HTTP/1.1 204 No Content\r\n\r\nok', 204],
    ['more than the length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay', 200],
    ['more than the last chunk', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nok`, 200],
  ])('succeeds with %s', async (_what, answer, response_status) => {
    const { port } = await rawSubscriber(socket => void socket.once('data', () => socket.write(answer)))
    expect(await deliverTo(port)).toMatchObject(succeeded(response_status))
  })
})

describe('a delivery that cannot be sent', () => {
  it.each(['', 'not a url', 'ftp://127.0.0.1/', 'file:///etc/passwd'])('fails for the URL %j', async url => {
    expect(await deliver(url)).toMatchObject(failed('invalid_request'))
  })

  it('fails for a header that HTTP cannot carry', async () => {
    const { port } = await httpSubscriber((_request, response) => response.end())
    const headers = { 'X-Request-Id': 'one\r\nX-Second: two' }
    expect(await deliverTo(port, { headers })).toMatchObject(failed('invalid_request'))
  })
})
