// Compares the REST API of the template with the declared endpoints.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { tierOf } from '../../shared/http/audience.ts'
import { ERROR_STATUS } from '../../shared/http/errors.ts'
import { API_FUNCTIONS, DOCUMENT, OTHERS } from '../../shared/service/api.ts'
import { gatewayResponsesOf, readTemplate, routesOf } from './synthesized.ts'

const template = readTemplate(inject('assembly'))
const routes = routesOf(template)

const declared = Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
  Object.values(endpoints).flatMap(({ method, path }) =>
    (method === 'GET' ? ['GET', 'HEAD'] : [method]).map(verb => [`${verb} ${path}`, name]),
  ),
)
const outside = ['GET', 'HEAD'].map(verb => [`${verb} ${DOCUMENT.path}`, DOCUMENT.name])
const leftOver = ['ANY /', 'ANY /{proxy+}'].map(name => [name, OTHERS])

/** Which function answers, by the address alone. */
function groupOf({ method, path }: { method: string; path: string }): string {
  const room = path.split('/')[3] ?? ''
  if (['admin', 'me', 'auth'].includes(room)) return room
  return method === 'GET' ? 'public' : 'community'
}

describe('the functions', () => {
  it('are five: everything under /admin, /me and /auth, every public read, and what guests send', () => {
    const found = Object.entries(API_FUNCTIONS).flatMap(([name, { endpoints }]) =>
      Object.values(endpoints).map(endpoint => [name, groupOf(endpoint)]),
    )
    expect(found.filter(([name, group]) => name !== group)).toEqual([])
    expect(Object.keys(API_FUNCTIONS)).toEqual(['public', 'community', 'auth', 'me', 'admin'])
  })
})

describe('the routes', () => {
  it('lead each endpoint to its function, and everything else to public', () => {
    const found = routes.filter(({ method }) => method !== 'OPTIONS')
    expect(Object.fromEntries(found.map(({ name, handler }) => [name, handler]))).toEqual(
      Object.fromEntries([...declared, ...outside, ...leftOver]),
    )
  })

  it('require a key and the authorizer of their tier', () => {
    for (const { method, name, path, type, schemes } of routes) {
      if (method === 'OPTIONS') continue
      expect({ name, type, schemes }).toEqual({
        name,
        type: 'aws_proxy',
        schemes: [`${tierOf(path)}-tier`, 'api_key'],
      })
    }
  })

  it('answer every preflight by the catch-all, without a key or an authorizer', () => {
    const preflights = routes.filter(({ method }) => method === 'OPTIONS')
    expect(preflights.map(({ path, type, schemes }) => [path, type, schemes])).toEqual([
      ['/', 'mock', []],
      ['/{proxy+}', 'mock', []],
    ])
  })

  it('lead to functions of the stack by their names, and to their alias', () => {
    const names = template
      .of('AWS::Lambda::Function')
      .map(({ properties }) => JSON.stringify(properties.FunctionName))
    for (const { method, handler, alias } of routes) {
      if (method === 'OPTIONS') continue
      expect(alias).toBe('live')
      expect(names).toContain(JSON.stringify({ 'Fn::Sub': `\${AWS::StackName}-${handler}` }))
    }
  })
})

describe('bodies', () => {
  const { Body } = z
    .object({
      Body: z.object({
        'x-amazon-apigateway-binary-media-types': z.array(z.string()),
        paths: z.record(z.string(), z.looseObject({ options: z.optional(z.unknown()) })),
      }),
    })
    .parse(template.of('AWS::ApiGateway::RestApi')[0]?.properties)

  it('come to functions as bytes, whatever their media type', () => {
    expect(Body['x-amazon-apigateway-binary-media-types']).toEqual(['*/*'])
  })

  it('of preflights are texts, because a mock fails with binary ones', () => {
    const preflights = Object.values(Body.paths).flatMap(({ options }) => options ?? [])
    expect(preflights).toHaveLength(2)
    for (const preflight of preflights) {
      expect(preflight).toMatchObject({
        'x-amazon-apigateway-integration': { contentHandling: 'CONVERT_TO_TEXT' },
      })
    }
  })
})

const Envelope = z.strictObject({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  errors: z.strictObject({ code: z.enum(Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[]) }),
})

describe('responses of the gateway itself', () => {
  const responses = gatewayResponsesOf(template)

  it('have the envelope, the status of their code and the common headers', () => {
    for (const { statusCode, responseParameters, responseTemplates } of Object.values(responses)) {
      const { errors } = Envelope.parse(JSON.parse(responseTemplates['application/json']))
      expect(statusCode).toBe(ERROR_STATUS[errors.code])
      expect(responseParameters['gatewayresponse.header.Access-Control-Allow-Origin']).toBe("'*'")
      expect(responseParameters['gatewayresponse.header.X-Request-Id']).toBe('context.requestId')
      expect(responseParameters['gatewayresponse.header.X-Content-Type-Options']).toBe("'nosniff'")
      expect(responseParameters['gatewayresponse.header.Strict-Transport-Security']).toBe(
        "'max-age=31536000'",
      )
      const wait = responseParameters['gatewayresponse.header.Retry-After']
      expect(wait !== undefined).toBe(['RATE_LIMITED', 'UNAVAILABLE'].includes(errors.code))
    }
  })

  it.each(['INTEGRATION_FAILURE', 'DEFAULT_5XX'])(
    'are 503 with a Retry-After of two seconds for %s, a throttled or crashed function',
    type => {
      const response = responses[type]
      expect(response).toMatchObject({
        statusCode: 503,
        responseParameters: { 'gatewayresponse.header.Retry-After': "'2'" },
      })
      expect(response?.responseTemplates['application/json']).toContain('"code":"UNAVAILABLE"')
    },
  )

  it('cover every response type, including the default ones', () => {
    const types = Object.keys(responses)
    expect(types).toHaveLength(21)
    expect(types).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED', 'QUOTA_EXCEEDED']),
    )
  })
})
