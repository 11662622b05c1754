// The function of the smoke test against gateways that answer wrongly or not at all.
import type { RequestListener } from 'node:http'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { use } from '../world/use.ts'
import { openCloudFormation } from './cloudformation.ts'
import { openRelease } from './release.ts'
import { openServer } from './server.ts'

const cloudFormation = use(openCloudFormation)
const release = use(() => openRelease(cloudFormation))
beforeEach(() => cloudFormation.setStatus('UPDATE_IN_PROGRESS'))

const REQUESTS = ['posts', 'system', 'me', 'contact', 'site'].map(name => ({
  Function: name,
  Method: 'GET',
  Path: `/api/v1/${name}`,
  LogGroup: `log of ${name}`,
}))

type Test = { Requests?: typeof REQUESTS; LimitSeconds?: string; ConnectTo?: string }

/** Returns the answer to CloudFormation. */
async function test(BaseUrl: string, properties: Test = {}): Promise<Record<string, unknown> | undefined> {
  await release.run(
    cloudFormation.event('Update', {
      ServiceToken: 'an arn',
      BaseUrl,
      AccessLogGroup: 'access log',
      Requests: REQUESTS.slice(0, 1),
      LimitSeconds: '100',
      PausesSeconds: ['0.01', '0.01'],
      Release: 'a hash',
      ...properties,
    }),
  )
  return cloudFormation.answers()[0]?.body
}

async function gateway(listener: RequestListener) {
  const server = await openServer(listener)
  onTestFinished(server.stop)
  return server
}

function answering(status: number, body: string): RequestListener {
  return (_, response) => response.writeHead(status).end(body)
}

const GOOD = '{"success":true,"message":"Posts.","data":[]}'

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
    const { url } = await gateway(answering(status, body))
    expect(await test(url)).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining(`posts: GET /api/v1/posts ${problem} (log group log of posts).`),
    })
  })

  it('fails if there is no answer within the time limit', async () => {
    const { url } = await gateway(() => {})
    expect(await test(url, { LimitSeconds: '0.1' })).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('posts: GET /api/v1/posts failed: no answer within 0.1 s'),
    })
  })

  it('fails if an answer does not end within the time limit', async () => {
    const { url } = await gateway((_, response) => response.writeHead(200).write('{'))
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
    const { url } = await gateway((request, response) =>
      (++requests < 3 ? answering(503, '{}') : answering(200, GOOD))(request, response),
    )
    expect(await test(url)).toMatchObject({ Status: 'SUCCESS' })
    expect(requests).toBe(3)
  })

  it('describes three failures, and names the others', async () => {
    const { url } = await gateway(answering(500, '{}'))
    const { Reason } = (await test(url, { Requests: REQUESTS })) ?? {}
    expect(Reason).toContain('me: GET /api/v1/me answered 500')
    expect(Reason).toContain('Also failed: contact, site.')
    expect(Reason).not.toContain('contact: GET')
  })

  it('connects to the target of a custom domain, and asks for the domain', async () => {
    let host: string | undefined
    const { port } = await gateway((request, response) => {
      host = request.headers.host
      answering(200, GOOD)(request, response)
    })
    const domain = `content.example:${port}`
    expect(await test(`http://${domain}`, { ConnectTo: '127.0.0.1' })).toMatchObject({ Status: 'SUCCESS' })
    expect(host).toBe(domain)
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
