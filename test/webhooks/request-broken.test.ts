// Subscribers that refuse, break off or do not speak HTTP, and requests that cannot be sent.
import { describe, expect, it } from 'vitest'
import { deliver, deliverTo } from './deliver.ts'
import { closedPort, httpSubscriber, rawSubscriber } from './servers.ts'

describe('a delivery to a broken subscriber', () => {
  it('fails when the subscriber refuses the connection', async () => {
    expect(await deliverTo(await closedPort())).toMatchObject({
      ok: false,
      responseStatus: null,
      error: 'connection',
    })
  })

  it.each([
    ['resets before its answer', '', null],
    ['resets inside its headers', 'HTTP/1.1 200 OK\r\nContent-', null],
    ['resets inside its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 200],
    ['resets inside a body without a length', 'HTTP/1.1 200 OK\r\n\r\nhalf', 200],
  ])('fails with the status it received, broken off %s', async (_when, part, responseStatus) => {
    const { port } = await rawSubscriber(socket => {
      socket.once('data', () =>
        socket.write(part || '\r\n', () => setTimeout(() => socket.resetAndDestroy(), 20)),
      )
    })
    expect(await deliverTo(port)).toMatchObject({ ok: false, responseStatus, error: 'connection' })
  })

  it('fails when the subscriber closes without an answer', async () => {
    const { port } = await rawSubscriber(socket => void socket.once('data', () => socket.end()))
    expect(await deliverTo(port)).toMatchObject({ ok: false, responseStatus: null, error: 'connection' })
  })

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['an invalid status', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'X-Filler: 0123456789abcdef\r\n'.repeat(2_000)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('fails when the subscriber speaks %s', async (_what, answer) => {
    const { port } = await rawSubscriber(socket => void socket.write(answer))
    expect(await deliverTo(port)).toMatchObject({ ok: false, error: 'protocol' })
  })

  it('fails when the subscriber switches protocols', async () => {
    const { port } = await rawSubscriber(socket =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    )
    expect(await deliverTo(port)).toMatchObject({ ok: false, responseStatus: null, error: 'protocol' })
  })
})

describe('a delivery that cannot be sent', () => {
  it.each(['', 'not a url', 'ftp://127.0.0.1/', 'file:///etc/passwd'])('fails for the URL %j', async url => {
    expect(await deliver(url)).toMatchObject({
      ok: false,
      responseStatus: null,
      error: 'invalid_request',
    })
  })

  it('fails for a header that HTTP cannot carry', async () => {
    const { port } = await httpSubscriber((_request, response) => response.end())
    const headers = { 'X-Request-Id': 'one\r\nX-Second: two' }
    expect(await deliverTo(port, { headers })).toMatchObject({ ok: false, error: 'invalid_request' })
  })
})
