// The gateway's answers: a function's response, compression, mocks, and its own errors.
import { describe, expect, it } from 'vitest'
import { gatewayResponse, returning, startWorld } from './gateway-world.ts'

describe('the gateway', () => {
  it('passes on status, headers and multi-value headers of a function', async () => {
    const answer = `{ statusCode: 201, headers: { 'X-One': 'a', 'WWW-Authenticate': 'Bearer' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] }, body: 'made' }`
    const world = await startWorld({ methods: { 'POST /x': 'F' }, code: { F: returning(answer) } })
    const response = await world.call('/x', { method: 'POST' })
    expect([response.status, await response.text()]).toEqual([201, 'made'])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-one')).toBe('a')
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer')
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('decodes a base64 body of a function', async () => {
    const answer = `{ statusCode: 200, isBase64Encoded: true, body: '${Buffer.from('ü').toString('base64')}' }`
    const world = await startWorld({ methods: { 'GET /x': 'F' }, code: { F: returning(answer) } })
    expect(await (await world.call('/x')).text()).toBe('ü')
  })

  it('omits the body of a function for HEAD', async () => {
    const world = await startWorld({
      methods: { 'HEAD /x': 'F' },
      code: { F: returning(`{ statusCode: 200, headers: { ETag: '"1"' }, body: 'text' }`) },
    })
    const response = await world.call('/x', { method: 'HEAD' })
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"1"'])
    expect(await response.text()).toBe('')
  })

  it.each([
    ['an error', '(() => { throw new Error("broken") })()'],
    ['not an object', '"text"'],
    ['an object with an unknown member', '{ statusCode: 200, data: {} }'],
    ['an object whose body is not a string', '{ statusCode: 200, body: {} }'],
    ['an object with a header of two lines', '{ statusCode: 200, headers: { X: "a\\n\\nb" } }'],
    ['larger than 6 MB', '{ statusCode: 200, body: "x".repeat(6300000) }'],
  ])('returns and logs an internal error if the result of a function is %s', async (_, expression) => {
    const world = await startWorld({
      methods: { 'GET /x': 'F' },
      code: { F: returning(expression) },
      responses: gatewayResponse('DEFAULT_5XX', 500, 'INTERNAL_ERROR'),
    })
    const response = await world.call('/x')
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ success: false, errors: { code: 'INTERNAL_ERROR' } })
    expect(world.lines.join('\n')).toContain('F')
  })
})

describe('compression', () => {
  const code = { F: returning('{ statusCode: 200, body: "x".repeat(Number(event.headers.bytes)) }') }
  const start = () => startWorld({ methods: { 'GET /x': 'F' }, code, api: { MinimumCompressionSize: 1024 } })

  it('applies gzip from the minimum size on for clients that accept it', async () => {
    const world = await start()
    const get = (bytes: number, accepted: string) =>
      world.call('/x', { headers: { bytes: String(bytes), 'Accept-Encoding': accepted } })
    const large = await get(1024, 'br, gzip')
    expect(large.headers.get('content-encoding')).toBe('gzip')
    expect(Number(large.headers.get('content-length'))).toBeLessThan(100)
    expect(await large.text()).toBe('x'.repeat(1024))
    for (const plain of [await get(1023, 'gzip'), await get(1024, 'br'), await get(1024, 'gzip;q=0')]) {
      expect(plain.headers.get('content-encoding')).toBe(null)
      expect(await plain.text()).toMatch(/^x+$/)
    }
  })
})

describe('a MOCK integration', () => {
  it('answers OPTIONS from the template without a function', async () => {
    const integration = {
      type: 'mock',
      requestTemplates: { 'application/json': '{ statusCode: 200 }' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: { 'method.response.header.Access-Control-Max-Age': "'7200'" },
        },
      },
    }
    const preflight = { 'x-amazon-apigateway-integration': integration }
    const world = await startWorld({ methods: { 'OPTIONS /{proxy+}': preflight, 'GET /x': 'Echo' } })
    const response = await world.call('/x', { method: 'OPTIONS' })
    expect([response.status, response.headers.get('access-control-max-age')]).toEqual([204, '7200'])
  })
})

describe('a gateway response', () => {
  it('contains the request id, and headers and body from the template', async () => {
    const headers = { 'gatewayresponse.header.Access-Control-Allow-Origin': "'*'" }
    const world = await startWorld({
      methods: { 'GET /x': 'Echo' },
      responses: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', 404, 'NOT_FOUND', headers),
    })
    const response = await world.call('/nope')
    const id = response.headers.get('x-request-id')
    expect(response.status).toBe(404)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(id).toBe(response.headers.get('x-amzn-requestid'))
    expect(await response.json()).toEqual({
      success: false,
      message: 'Missing Authentication Token',
      errors: { code: 'NOT_FOUND' },
      id,
    })
  })

  it('falls back to the default response of its class', async () => {
    const world = await startWorld({
      methods: { 'GET /x': 'Echo' },
      responses: gatewayResponse('DEFAULT_4XX', 404, 'NOT_FOUND'),
    })
    expect((await world.call('/nope')).status).toBe(404)
  })
})
