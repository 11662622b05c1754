// Which function handles a request of the local run, and the event that it gets.
import { describe, expect, it } from 'vitest'
import { API_FUNCTIONS, DOCUMENT } from '../../shared/service/api-functions.ts'
import { plainGet, startHttp } from './http-world.ts'

const declared = Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
  Object.values(endpoints).map(({ method, path }) => ({ name, method, path })),
)

describe('routing', () => {
  it('leads every endpoint, and HEAD of every GET, to its function', async () => {
    const { received } = await startHttp()
    const all = [...declared, { name: DOCUMENT.name, method: 'GET', path: DOCUMENT.path }]
    for (const { name, method, path } of all) {
      for (const verb of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
        const { name: called, event } = await received(verb, path.replace(/\{\w+\}/g, '1'))
        expect([verb, event.resource, called]).toEqual([verb, path, name])
      }
    }
  })

  it('ignores a slash at the end but keeps it in the event', async () => {
    const { received } = await startHttp()
    const { name, event } = await received('GET', '/api/v1/posts/')
    expect([name, event.resource, event.path]).toEqual(['public', '/api/v1/posts', '/api/v1/posts/'])
  })
})

describe('the event of a request', () => {
  it('contains encoded path parameters', async () => {
    const { received } = await startHttp()
    const slug = 'e%20f%2Fg-%E0%A4%95'
    const { event } = await received('GET', `/api/v1/posts/${slug}`)
    expect([event.path, event.pathParameters]).toEqual([`/api/v1/posts/${slug}`, { slug }])
  })

  it('contains decoded query parameters with all their values', async () => {
    const { received } = await startHttp()
    const { event } = await received('GET', '/api/v1/posts?x=1&x=2&q=a+b%2B&empty&__proto__=p')
    expect(event.multiValueQueryStringParameters).toEqual(
      Object.fromEntries([
        ['x', ['1', '2']],
        ['q', ['a b+']],
        ['empty', ['']],
        ['__proto__', ['p']],
      ]),
    )
  })

  it('contains the body byte for byte in base64, and null without one', async () => {
    const { received } = await startHttp()
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const { event } = await received('POST', '/api/v1/contact', { body })
    expect([event.body, event.isBase64Encoded]).toEqual([body.toString('base64'), true])
    const empty = await received('POST', '/api/v1/contact')
    expect([empty.event.body, empty.event.isBase64Encoded]).toEqual([null, false])
  })

  it('contains all values of a header', async () => {
    const { url, calls } = await startHttp()
    await plainGet(`${url}/api/v1/posts`, { 'X-Many': ['a', 'b'] })
    expect(calls[0]?.event.multiValueHeaders).toMatchObject({ 'x-many': ['a', 'b'] })
  })

  it('takes the source IP from the connection and not from a header', async () => {
    const { url, port, calls } = await startHttp()
    await plainGet(`${url}/api/v1/posts`, { 'X-Forwarded-For': '9.9.9.9', 'X-Real-IP': '9.9.9.9' })
    expect(calls[0]?.event.requestContext).toEqual({
      identity: { sourceIp: '127.0.0.1' },
      path: '/api/v1/posts',
      domainName: `127.0.0.1:${port}`,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    })
  })
})
