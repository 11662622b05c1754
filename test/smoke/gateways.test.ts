// The function of the smoke test against gateways that answer wrongly or not at all.
import { describe, expect, it } from 'vitest'
import { answering, GOOD, openGateway, REQUESTS, useSmokeTest } from './gateway-world.ts'
import { openServer } from './server.ts'

const { release, test } = useSmokeTest()

const REFUSAL = { success: false, message: 'Refused.' }

describe('the smoke test', () => {
  it.each([
    ['an error page', 502, '<html>Bad Gateway</html>', 'answered 502, but not in the JSON format of the API'],
    [
      'a page of another site',
      200,
      '<html>Hello</html>',
      'answered 200, but not in the JSON format of the API',
    ],
    [
      "API Gateway's own refusal",
      403,
      '{"message":"Forbidden"}',
      'answered 403, but not in the JSON format of the API',
    ],
    [
      'a missing route',
      404,
      '{"success":false,"message":"Endpoint not found.","errors":{"code":"NOT_FOUND"}}',
      'answered 404: the gateway has no such route',
    ],
  ])('fails for %s', async (_, status, body, problem) => {
    const { url } = await openGateway(answering(status, body))
    expect(await test(url)).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining(`posts: GET /api/v1/posts ${problem} (log group log of posts).`),
    })
  })

  it('fails if there is no answer within the time limit', async () => {
    const { url } = await openGateway(() => {})
    expect(await test(url, { LimitSeconds: '0.1' })).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('posts: GET /api/v1/posts failed: no answer within 0.1 s'),
    })
  })

  it('fails if an answer does not end within the time limit', async () => {
    const { url } = await openGateway((_, response) => response.writeHead(200).write('{'))
    expect(await test(url, { LimitSeconds: '0.1' })).toMatchObject({
      Reason: expect.stringContaining('no answer within 0.1 s'),
    })
  })

  it('fails if nothing listens', async () => {
    const { url, stop } = await openServer(() => {})
    await stop()
    expect(await test(url)).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('succeeds if a new deployment answers after some attempts', async () => {
    let requests = 0
    const { url } = await openGateway((request, response) =>
      (++requests < 3 ? answering(503, '{}') : answering(200, GOOD))(request, response),
    )
    expect(await test(url)).toMatchObject({ Status: 'SUCCESS' })
    expect(requests).toBe(3)
  })

  it('describes three failures, and names the others', async () => {
    const { url } = await openGateway(answering(500, '{}'))
    const { Reason } = (await test(url, { Requests: REQUESTS })) ?? {}
    expect(Reason).toContain('me: GET /api/v1/me answered 500')
    expect(Reason).toContain('Also failed: contact, site.')
    expect(Reason).not.toContain('contact: GET')
  })

  it.each([
    ['in maintenance', 503, 'MAINTENANCE_MODE'],
    ['for a request that a firewall refuses', 429, 'RATE_LIMITED'],
  ])('succeeds %s', async (_, status, code) => {
    const { url } = await openGateway(answering(status, JSON.stringify({ ...REFUSAL, errors: { code } })))
    expect(await test(url)).toMatchObject({ Status: 'SUCCESS' })
  })

  it('fails with the names of invalid properties', async () => {
    expect(await test('content.example')).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('BaseUrl'),
    })
  })
})

describe('an event that is not of CloudFormation', () => {
  it('is refused without its values', async () => {
    await expect(release.run({ RequestType: 'Update', ResponseURL: 'the secret' })).rejects.toThrow(
      'The event is not of a custom resource',
    )
    expect(release.lines.join('\n')).not.toContain('the secret')
  })
})
