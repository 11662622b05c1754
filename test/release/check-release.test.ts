// The function that checks a release: good and bad releases, gateways that fail, and a rollback.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { createServer } from 'node:tls'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { handler } from '../../functions/check-release.ts'
import { requestsOf } from '../../infra/release.ts'
import { failure } from '../../shared/http/reply.ts'
import { openServer } from '../support/server.ts'
import { use } from '../support/use.ts'
import { openWorld } from '../support/world.ts'

const GOOD = '{"success":true,"message":"Posts.","data":[]}'
const SECRET = 'the-secret-of-the-presigned-url'
const STACK_ID = 'arn:aws:cloudformation:us-east-1:000000000000:stack/ContentService-live/0b1c2d3e'

type Answer = { Status: string; PhysicalResourceId: string; Reason?: string; type: string | undefined }
const answers: Answer[] = []
beforeEach(() => void answers.splice(0))

async function listen(listener: RequestListener): Promise<string> {
  const { url, stop } = await openServer(listener)
  onTestFinished(stop)
  return url
}

function answering(status: number, body: string): RequestListener {
  return (_, response) => response.writeHead(status).end(body)
}

function request(name: string) {
  return { Function: name, Method: 'GET', Path: `/api/v1/${name}` }
}

/** Returns what CloudFormation gets. Its texts are those of a template's numbers. */
async function check(BaseUrl: string, more: object = {}, event: object = {}): Promise<Answer> {
  const cloudFormation = await listen(async (message, response) => {
    expect(message.url).toContain(SECRET)
    answers.push({ ...JSON.parse(await text(message)), type: message.headers['content-type'] })
    response.end()
  })
  await handler({
    RequestType: 'Update',
    ResponseURL: `${cloudFormation}/?X-Amz-Signature=${SECRET}`,
    StackId: STACK_ID,
    RequestId: 'request 1',
    LogicalResourceId: 'ReleaseCheck',
    PhysicalResourceId: 'the last release',
    ResourceProperties: {
      BaseUrl,
      Requests: [request('public')],
      LimitSeconds: '100',
      PausesSeconds: ['0.01', '0.01'],
      Release: 'a hash',
      ...more,
    },
    ...event,
  })
  const [answer] = answers.slice(-1)
  if (!answer) throw new Error('CloudFormation got no answer.')
  return answer
}

describe('the check of a service', () => {
  const world = use(openWorld)

  it('succeeds after one request to each function, without a token', async () => {
    const more = { Requests: requestsOf(), PausesSeconds: Array(9).fill('1') }
    const answer = await check(world.baseUrl, more)
    expect(answer).toMatchObject({ Status: 'SUCCESS', StackId: STACK_ID, RequestId: 'request 1' })
    // The signature of the URL does not include a content type.
    expect(answer.type).toBeUndefined()
  })
})

describe('the check of a gateway', () => {
  it.each([
    ['an error page', 502, '<html>Bad Gateway</html>', 'failed'],
    [
      "API Gateway's own refusal",
      403,
      '{"message":"Forbidden"}',
      'answered 403, but not in the format of the API',
    ],
    [
      'a missing route',
      404,
      JSON.stringify(failure('NOT_FOUND', 'Endpoint not found.')),
      'answered 404: the gateway has no such route',
    ],
    ['a crash', 503, JSON.stringify(failure('UNAVAILABLE', 'Busy.')), 'answered 503 UNAVAILABLE'],
  ])('fails for %s, with the function and its log group', async (_, status, body, problem) => {
    const answer = await check(await listen(answering(status, body)))
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'the last release' })
    expect(answer.Reason).toContain(`public: GET /api/v1/public ${problem}`)
    expect(answer.Reason).toContain('(log group ContentService-live/public)')
  })

  it('fails if there is no whole answer within the time limit, or nothing listens', async () => {
    const silent = await listen((_, response) => void response.writeHead(200).write('{'))
    expect((await check(silent, { LimitSeconds: '0.1' })).Status).toBe('FAILED')
    expect((await check('http://127.0.0.1:1')).Reason).toContain('ECONNREFUSED')
  })

  it('succeeds if a new deployment answers after some attempts, and asks again only what failed', async () => {
    const asked: string[] = []
    const url = await listen((message, response) => {
      asked.push(message.url ?? '')
      const isReady = asked.length > 2 || message.url === '/api/v1/public'
      answering(isReady ? 200 : 503, isReady ? GOOD : '{}')(message, response)
    })
    expect((await check(url, { Requests: [request('public'), request('admin')] })).Status).toBe('SUCCESS')
    expect(asked.filter(path => path === '/api/v1/public')).toHaveLength(1)
  })

  it.each([
    ['in maintenance', 503, 'MAINTENANCE_MODE'],
    ['for a request that a firewall refuses', 429, 'RATE_LIMITED'],
    ['for one that needs a token', 401, 'UNAUTHENTICATED'],
  ])('succeeds %s', async (_, status, code) => {
    const body = JSON.stringify({ success: false, message: 'Refused.', errors: { code } })
    expect((await check(await listen(answering(status, body)))).Status).toBe('SUCCESS')
  })

  it('of a custom domain connects to its target, and asks for the domain and its certificate', async () => {
    let host: string | undefined
    const url = await listen((message, response) => {
      host = message.headers.host
      answering(200, GOOD)(message, response)
    })
    const { port } = new URL(url)
    const domain = `content.example:${port}`
    expect((await check(`http://${domain}`, { ConnectTo: '127.0.0.1' })).Status).toBe('SUCCESS')
    expect(host).toBe(domain)

    const names: string[] = []
    const server = createServer({
      SNICallback: (name, done) => {
        names.push(name)
        done(new Error('no certificate'))
      },
    })
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const secure = `https://content.example:${Object(server.address()).port}`
    expect((await check(secure, { ConnectTo: '127.0.0.1' })).Status).toBe('FAILED')
    expect(new Set(names)).toEqual(new Set(['content.example']))
  })
})

describe('a rollback', () => {
  it('succeeds without a request: it returns to the release that has passed', async () => {
    const url = await listen(answering(200, GOOD))
    const { PhysicalResourceId } = await check(url)
    let asked = 0
    const broken = await listen((_, response) => {
      asked++
      response.writeHead(500).end()
    })
    const bad = await check(broken, {}, { PhysicalResourceId })
    expect(bad).toMatchObject({ Status: 'FAILED', PhysicalResourceId })
    expect(asked).toBe(3)
    const back = await check(url, {}, { PhysicalResourceId })
    expect(back).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId })
  })

  it('of a first deployment deletes the check, which succeeds whatever its properties are', async () => {
    const created = { RequestType: 'Create', PhysicalResourceId: undefined }
    expect((await check('http://127.0.0.1:1', {}, created)).Status).toBe('FAILED')
    const deleted = { RequestType: 'Delete', ResourceProperties: { unreadable: 'properties' } }
    const answer = await check('http://127.0.0.1:1', {}, deleted)
    expect(answer).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'the last release' })
  })
})
