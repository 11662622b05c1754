// Which method of the REST API answers a request, and what its function gets to see of it.
import { describe, expect, it } from 'vitest'
import { plainGet, startWorld } from './gateway-world.ts'

/** The event that the function saw. */
async function routed(
  world: { call: (path: string, init?: RequestInit) => Promise<Response> },
  route: string,
) {
  const [method = '', path = ''] = route.split(' ')
  const event: unknown = await (await world.call(path, { method })).json()
  return event
}

describe('a route', () => {
  it('is the most special one: literal, then parameter, then the rest of the path', async () => {
    const world = await startWorld({
      methods: {
        'GET /posts/new': 'Echo',
        'GET /posts/{slug}': 'Echo',
        'GET /{proxy+}': 'Echo',
        'GET /': 'Echo',
      },
    })
    expect(await routed(world, 'GET /posts/new')).toMatchObject({
      resource: '/posts/new',
      pathParameters: null,
    })
    expect(await routed(world, 'GET /posts/old')).toMatchObject({ pathParameters: { slug: 'old' } })
    expect(await routed(world, 'GET /posts/old/x')).toMatchObject({
      pathParameters: { proxy: 'posts/old/x' },
    })
    expect(await routed(world, 'GET /posts')).toMatchObject({ resource: '/{proxy+}' })
    expect(await routed(world, 'GET /')).toMatchObject({ resource: '/' })
  })

  it('is compared segment by segment from the left', async () => {
    const world = await startWorld({ methods: { 'GET /a/{x}': 'Echo', 'GET /{y}/b': 'Echo' } })
    expect(await routed(world, 'GET /a/b')).toMatchObject({ resource: '/a/{x}' })
    expect(await routed(world, 'GET /c/b')).toMatchObject({ resource: '/{y}/b', pathParameters: { y: 'c' } })
  })

  it('is a pair of path and method: without the method a less special one answers', async () => {
    const world = await startWorld({
      methods: { 'GET /posts/new': 'Echo', 'DELETE /posts/{slug}': 'Echo', 'ANY /{proxy+}': 'Echo' },
    })
    expect(await routed(world, 'GET /posts/new')).toMatchObject({ resource: '/posts/new' })
    expect(await routed(world, 'DELETE /posts/new')).toMatchObject({ resource: '/posts/{slug}' })
    expect(await routed(world, 'PATCH /posts/new')).toMatchObject({
      resource: '/{proxy+}',
      httpMethod: 'PATCH',
      pathParameters: { proxy: 'posts/new' },
    })
  })

  it('does not mind a slash at the end, and keeps it in the path', async () => {
    const world = await startWorld({ methods: { 'GET /posts': 'Echo' } })
    expect(await routed(world, 'GET /posts/')).toMatchObject({ resource: '/posts', path: '/posts/' })
  })

  it('that does not exist is a missing authentication token', async () => {
    const world = await startWorld({ methods: { 'GET /posts': 'Echo' } })
    for (const [path, method] of [
      ['/nope', 'GET'],
      ['/posts', 'POST'],
    ] as const) {
      const response = await world.call(path, { method })
      expect(response.status).toBe(403)
      expect(await response.json()).toEqual({ message: 'Missing Authentication Token' })
    }
  })
})

describe('the proxy event', () => {
  it('has path parameters as they were sent and query parameters decoded', async () => {
    const world = await startWorld({ methods: { 'POST /posts/{slug}': 'Echo' } })
    const response = await world.call('/posts/e%20f%2Fg-%E0%A4%95?x=1&x=2&q=a+b%2B&empty', {
      method: 'POST',
      body: '{"name":"ü"}',
    })
    expect(await response.json()).toMatchObject({
      path: '/posts/e%20f%2Fg-%E0%A4%95',
      pathParameters: { slug: 'e%20f%2Fg-%E0%A4%95' },
      queryStringParameters: { x: '2', q: 'a b+', empty: '' },
      multiValueQueryStringParameters: { x: ['1', '2'], q: ['a b+'], empty: [''] },
      headers: { host: `127.0.0.1:${world.port}` },
      stageVariables: null,
      body: '{"name":"ü"}',
      isBase64Encoded: false,
    })
  })

  it('has every value of a header, and the last one by itself', async () => {
    const world = await startWorld({ methods: { 'GET /me': 'Echo' } })
    expect(JSON.parse(await plainGet(`${world.url}/me`, { 'X-Many': ['a', 'b'] }))).toMatchObject({
      headers: { 'X-Many': 'b' },
      multiValueHeaders: { 'X-Many': ['a', 'b'] },
    })
  })

  it('knows the client by its connection, whatever it says of itself', async () => {
    const world = await startWorld({ methods: { 'GET /me': 'Echo' } })
    const headers = { 'X-Forwarded-For': '9.9.9.9', 'X-Real-IP': '9.9.9.9' }
    expect(await (await world.call('/me', { headers })).json()).toMatchObject({
      body: null,
      queryStringParameters: null,
      headers: { 'X-Forwarded-For': '9.9.9.9, 127.0.0.1' },
      requestContext: {
        identity: { sourceIp: '127.0.0.1' },
        stage: 'v1',
        path: '/me',
        resourcePath: '/me',
        httpMethod: 'GET',
        domainName: `127.0.0.1:${world.port}`,
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      },
    })
  })

  it('has the request id that the answer carries', async () => {
    const world = await startWorld({ methods: { 'GET /me': 'Echo' } })
    const response = await world.call('/me')
    expect(await response.json()).toMatchObject({
      requestContext: { requestId: response.headers.get('x-amzn-requestid') },
    })
  })
})
