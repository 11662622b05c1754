// Which method of the REST API handles a request, and the event that its function gets.
import { describe, expect, it } from 'vitest'
import { functionFinder } from '../../infra/local/gateway/document.ts'
import { createTemplate, functionResource, resolverFor } from './assembly.ts'
import { invocationOf, plainGet, startWorld } from './gateway-world.ts'

/** The event that the function received. */
async function routed(
  world: { call: (path: string, init?: RequestInit) => Promise<Response> },
  route: string,
) {
  const [method = '', path = ''] = route.split(' ')
  const event: unknown = await (await world.call(path, { method })).json()
  return event
}

describe('routing', () => {
  it('prefers a literal segment, then a parameter, then the rest of the path', async () => {
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

  it('compares segments from the left', async () => {
    const world = await startWorld({ methods: { 'GET /a/{x}': 'Echo', 'GET /{y}/b': 'Echo' } })
    expect(await routed(world, 'GET /a/b')).toMatchObject({ resource: '/a/{x}' })
    expect(await routed(world, 'GET /c/b')).toMatchObject({ resource: '/{y}/b', pathParameters: { y: 'c' } })
  })

  it('chooses a less specific resource if the most specific one lacks the method', async () => {
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

  it('ignores a slash at the end but keeps it in the event', async () => {
    const world = await startWorld({ methods: { 'GET /posts': 'Echo' } })
    expect(await routed(world, 'GET /posts/')).toMatchObject({ resource: '/posts', path: '/posts/' })
  })

  it('returns 403 Missing Authentication Token for an unknown route', async () => {
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
  it('contains encoded path parameters and decoded query parameters', async () => {
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

  it('contains a body in base64 if the API takes it as bytes, and else a text', async () => {
    const bytes = Buffer.from([0x7b, 0xe9, 0x7d])
    const echoed = async (document: Record<string, unknown>) => {
      const world = await startWorld({ methods: { 'POST /x': 'Echo' }, document })
      const response = await world.call('/x', { method: 'POST', body: bytes })
      return await response.json()
    }
    expect(await echoed({})).toMatchObject({ body: '{\ufffd}', isBase64Encoded: false })
    expect(await echoed({ 'x-amazon-apigateway-binary-media-types': ['*/*'] })).toMatchObject({
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    })
  })

  it('contains all values of a header, and separately the last one', async () => {
    const world = await startWorld({ methods: { 'GET /me': 'Echo' } })
    expect(JSON.parse(await plainGet(`${world.url}/me`, { 'X-Many': ['a', 'b'] }))).toMatchObject({
      headers: { 'X-Many': 'b' },
      multiValueHeaders: { 'X-Many': ['a', 'b'] },
    })
  })

  it('takes the source IP from the connection and not from a header', async () => {
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

  it('contains the request id of the answer', async () => {
    const world = await startWorld({ methods: { 'GET /me': 'Echo' } })
    const response = await world.call('/me')
    expect(await response.json()).toMatchObject({
      requestContext: { requestId: response.headers.get('x-amzn-requestid') },
    })
  })
})

describe('the address of an alias', () => {
  const live = { FunctionName: { Ref: 'Echo' }, Name: 'live', FunctionVersion: '1' }
  const find = () => {
    const template = createTemplate({
      Echo: functionResource('Echo', { FunctionName: 'stack-echo' }),
      EchoLive: { Type: 'AWS::Lambda::Alias', Properties: live },
    })
    return functionFinder(template, resolverFor(template))
  }

  it('leads to its function, as the address of the function does', () => {
    expect(['stack-echo', 'stack-echo:live'].map(name => find()(invocationOf(name)))).toEqual([
      'Echo',
      'Echo',
    ])
  })

  it.each(['stack-echo:next', 'stack-other:live', 'stack-echo:'])('is refused for %s', name => {
    expect(() => find()(invocationOf(name))).toThrow(/is no function or alias of the template/)
  })
})
