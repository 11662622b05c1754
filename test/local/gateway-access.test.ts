// Access control in the gateway: authorizers, their cache, API keys and usage plans.
import { describe, expect, it } from 'vitest'
import { ALLOW_ALL, answeredBy, echo, gatewayResponse, invocationOf, startWorld } from './gateway-world.ts'

function authorizer(ttlSeconds: number) {
  return {
    type: 'apiKey',
    'x-amazon-apigateway-authorizer': {
      type: 'request',
      authorizerUri: invocationOf('Guard'),
      identitySource: 'context.identity.sourceIp',
      authorizerResultTtlInSeconds: ttlSeconds,
    },
  }
}

const guarded = { ...answeredBy('Echo'), security: [{ tier: [] }] }
const withKey = { ...answeredBy('Echo'), security: [{ tier: [] }, { key: [] }] }
const SCHEMES = { tier: authorizer(3600), key: { type: 'apiKey', name: 'x-api-key', in: 'header' } }

function start(guard: string, responses = {}, ttlSeconds = 3600) {
  return startWorld({
    methods: { 'GET /a/{x}': guarded, 'GET /b': guarded },
    code: { Echo: echo, Guard: guard },
    securitySchemes: { tier: authorizer(ttlSeconds) },
    responses,
  })
}

async function authorizerOf(response: Response) {
  const event = Object(await response.json())
  return event.requestContext.authorizer
}

describe('an authorizer', () => {
  it('decides once per client, and passes its context to the function as strings', async () => {
    const world = await start(ALLOW_ALL)
    expect(await authorizerOf(await world.call('/a/1'))).toEqual({
      principalId: 'tier',
      calls: '1',
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:eu-west-1:000000000000:Api/v1/GET/a/1',
    })
    const headers = { 'X-Forwarded-For': '9.9.9.9', Authorization: 'Bearer x' }
    expect(await authorizerOf(await world.call('/b', { headers }))).toMatchObject({ calls: '1' })
  })

  it('decides again when its cached decision has expired', async () => {
    const world = await start(ALLOW_ALL, {}, 1)
    expect(await authorizerOf(await world.call('/b'))).toMatchObject({ calls: '1' })
    await expect.poll(async () => (await authorizerOf(await world.call('/b'))).calls).toBe('2')
  })

  it('denies methods that its policy does not allow, even if the policy is cached', async () => {
    const onlyA = ALLOW_ALL.replace("'/*/*'", "'/v1/GET/a/*'").replace('/\\/.*/', '/\\/.*/')
    const world = await start(onlyA, gatewayResponse('ACCESS_DENIED', 500, 'INTERNAL_ERROR'))
    expect((await world.call('/a/1')).status).toBe(200)
    const denied = await world.call('/b')
    expect([denied.status, await denied.json()]).toMatchObject([500, { errors: { code: 'INTERNAL_ERROR' } }])
  })

  it('denies a method with both an allow and a deny statement', async () => {
    const denyB = ALLOW_ALL.replace(
      'Statement: [',
      `Statement: [{ Effect: 'Deny', Action: '*', Resource: ['*/GET/?'] }, `,
    )
    const world = await start(denyB)
    expect((await world.call('/a/1')).status).toBe(200)
    expect((await world.call('/b')).status).toBe(403)
  })

  it.each([
    ['throws an error', 'exports.handler = async () => { throw new Error("broken") }', 500],
    ['throws Unauthorized', 'exports.handler = async () => { throw new Error("Unauthorized") }', 401],
    ['returns no policy', 'exports.handler = async () => ({ isAuthorized: true })', 500],
  ])('denies every request if it %s', async (_, guard, status) => {
    const world = await start(guard)
    expect((await world.call('/b')).status).toBe(status)
  })
})

describe('a usage plan', () => {
  const plan = (RateLimit: number, BurstLimit: number) => ({
    Plan: { Type: 'AWS::ApiGateway::UsagePlan', Properties: { Throttle: { RateLimit, BurstLimit } } },
    Key: {
      Type: 'AWS::ApiGateway::ApiKey',
      Properties: { Enabled: true, Value: { 'Fn::Join': ['-', ['tier', 'key']] } },
    },
    PlanKey: {
      Type: 'AWS::ApiGateway::UsagePlanKey',
      Properties: { KeyId: { Ref: 'Key' }, KeyType: 'API_KEY', UsagePlanId: { Ref: 'Plan' } },
    },
  })
  const startPlan = (rate: number, burst: number, ApiKeySourceType = 'AUTHORIZER') =>
    startWorld({
      methods: { 'GET /x': withKey, 'GET /free': 'Echo' },
      code: { Echo: echo, Guard: ALLOW_ALL },
      api: { ApiKeySourceType },
      securitySchemes: SCHEMES,
      responses: gatewayResponse('THROTTLED', 429, 'RATE_LIMITED', {
        'gatewayresponse.header.Retry-After': "'1'",
      }),
      resources: plan(rate, burst),
    })

  it('returns the gateway response 429 when its burst is used up', async () => {
    const world = await startPlan(0.01, 2)
    expect((await world.call('/x')).status).toBe(200)
    expect((await world.call('/x')).status).toBe(200)
    const refused = await world.call('/x')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toEqual({
      success: false,
      message: 'Too Many Requests',
      errors: { code: 'RATE_LIMITED' },
      id: refused.headers.get('x-request-id'),
    })
    expect((await world.call('/free')).status).toBe(200)
  })

  it('allows requests again at its rate', async () => {
    const world = await startPlan(0.5, 1)
    const statuses = await Promise.all([1, 2, 3].map(async () => (await world.call('/x')).status))
    expect(statuses.sort()).toEqual([200, 429, 429])
    await expect.poll(async () => (await world.call('/x')).status).toBe(200)
  })

  it('passes the API key to the function', async () => {
    const world = await startPlan(10, 10)
    expect(await (await world.call('/x')).json()).toMatchObject({
      requestContext: { identity: { apiKey: 'tier-key', apiKeyId: 'Key' } },
    })
  })

  it('reads the key from the header if the API is configured so', async () => {
    const world = await startPlan(10, 10, 'HEADER')
    expect((await world.call('/x')).status).toBe(403)
    expect((await world.call('/x', { headers: { 'X-Api-Key': 'wrong' } })).status).toBe(403)
    expect((await world.call('/x', { headers: { 'X-Api-Key': 'tier-key' } })).status).toBe(200)
  })

  it('rejects a key that is in no plan', async () => {
    const world = await startWorld({
      methods: { 'GET /x': withKey },
      code: { Echo: echo, Guard: ALLOW_ALL },
      api: { ApiKeySourceType: 'AUTHORIZER' },
      securitySchemes: SCHEMES,
    })
    const response = await world.call('/x')
    expect([response.status, await response.json()]).toEqual([403, { message: 'Forbidden' }])
  })
})
