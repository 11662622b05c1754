// Compares the REST API of the template with the declared endpoints.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { ERROR_STATUS } from '../../shared/http/errors.ts'
import { tierOf } from '../../shared/http/tier.ts'
import { API_FUNCTIONS, DOCUMENT } from '../../shared/service/api.ts'
import { idIn, idOf, plain, readTemplate, routesOf } from './synthesized.ts'

const template = readTemplate(inject('assembly'))
const routes = routesOf(template)

const declared = Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
  Object.values(endpoints).flatMap(({ method, path }) =>
    (method === 'GET' ? ['GET', 'HEAD'] : [method]).map(verb => [`${verb} ${path}`, idOf(name)]),
  ),
)
const outside = ['GET', 'HEAD'].map(verb => [`${verb} ${DOCUMENT.path}`, DOCUMENT.name])
const leftOver = ['ANY /', 'ANY /{proxy+}'].map(name => [name, 'system'])

describe('the routes', () => {
  it('lead each endpoint to the function of its group, and everything else to system', () => {
    const found = routes.filter(({ HttpMethod }) => HttpMethod !== 'OPTIONS')
    expect(Object.fromEntries(found.map(({ name, handler }) => [name, handler]))).toEqual(
      Object.fromEntries([...declared, ...outside, ...leftOver]),
    )
  })

  it('require a key and the authorizer of their tier', () => {
    for (const { HttpMethod, name, path, ApiKeyRequired, AuthorizationType, AuthorizerId } of routes) {
      if (HttpMethod === 'OPTIONS') continue
      expect({
        name,
        ApiKeyRequired,
        AuthorizationType,
        authorizer: plain(idIn(AuthorizerId) ?? ''),
      }).toEqual({
        name,
        ApiKeyRequired: true,
        AuthorizationType: 'CUSTOM',
        authorizer: `${tierOf(path)}tier`,
      })
    }
  })

  it('answer every preflight by the catch-all, without a key or an authorizer', () => {
    const preflights = routes.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS')
    expect(preflights.map(({ path }) => path).sort()).toEqual(['/', '/{proxy+}'])
    for (const { ApiKeyRequired, AuthorizationType, Integration } of preflights) {
      expect([ApiKeyRequired, AuthorizationType, Integration.Type]).toEqual([false, 'NONE', 'MOCK'])
    }
  })
})

const GatewayResponse = z.object({
  ResponseType: z.string(),
  StatusCode: z.string(),
  ResponseParameters: z.record(z.string(), z.string()),
  ResponseTemplates: z.object({ 'application/json': z.string() }),
})
const Envelope = z.strictObject({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  errors: z.strictObject({ code: z.enum(Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[]) }),
})

describe('responses of the gateway itself', () => {
  const responses = template
    .of('AWS::ApiGateway::GatewayResponse')
    .map(({ properties }) => GatewayResponse.parse(properties))

  it('have the envelope, the status of their code and the common headers', () => {
    for (const { StatusCode, ResponseParameters, ResponseTemplates } of responses) {
      const { errors } = Envelope.parse(JSON.parse(ResponseTemplates['application/json']))
      expect(Number(StatusCode)).toBe(ERROR_STATUS[errors.code])
      expect(ResponseParameters['gatewayresponse.header.Access-Control-Allow-Origin']).toBe("'*'")
      expect(ResponseParameters['gatewayresponse.header.X-Request-Id']).toBe('context.requestId')
      expect(ResponseParameters['gatewayresponse.header.X-Content-Type-Options']).toBe("'nosniff'")
      expect(ResponseParameters['gatewayresponse.header.Strict-Transport-Security']).toBe(
        "'max-age=31536000'",
      )
      const wait = ResponseParameters['gatewayresponse.header.Retry-After']
      expect(wait !== undefined).toBe(['RATE_LIMITED', 'UNAVAILABLE'].includes(errors.code))
    }
  })

  it.each(['INTEGRATION_FAILURE', 'DEFAULT_5XX'])(
    'are 503 with a Retry-After of two seconds for %s, a throttled or crashed function',
    type => {
      const response = responses.find(({ ResponseType }) => ResponseType === type)
      expect(response).toMatchObject({
        StatusCode: '503',
        ResponseParameters: { 'gatewayresponse.header.Retry-After': "'2'" },
      })
      expect(response?.ResponseTemplates['application/json']).toContain('"code":"UNAVAILABLE"')
    },
  )

  it('cover every response type, including the default ones', () => {
    const types = responses.map(({ ResponseType }) => ResponseType)
    expect(types).toHaveLength(21)
    expect(types).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED', 'QUOTA_EXCEEDED']),
    )
  })
})
