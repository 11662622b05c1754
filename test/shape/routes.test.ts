// Compares the REST API of the template with the declared endpoints.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { tierOf } from '../../shared/http/audience.ts'
import { ERROR_STATUS } from '../../shared/http/errors.ts'
import { API_FUNCTIONS, DOCUMENT, OTHERS } from '../../shared/service/api-functions.ts'
import { documentOf, gatewayResponsesOf, readTemplate } from './template.ts'

const template = readTemplate()

const routes = Object.entries(documentOf(template).paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([key, operation]) => {
    const method = key === 'x-amazon-apigateway-any-method' ? 'ANY' : key.toUpperCase()
    const integration = operation['x-amazon-apigateway-integration']
    const invoked = integration.uri?.['Fn::Sub'] ?? ''
    const [, handler, alias] = /:function:\$\{AWS::StackName\}-([\w-]+)(?::(\w+))?\//.exec(invoked) ?? []
    const schemes = operation.security.flatMap(Object.keys)
    return { method, path, name: `${method} ${path}`, integration, handler, alias, schemes }
  }),
)
const preflights = routes.filter(({ method }) => method === 'OPTIONS')
const answered = routes.filter(({ method }) => method !== 'OPTIONS')

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
    expect(Object.fromEntries(answered.map(({ name, handler }) => [name, handler]))).toEqual(
      Object.fromEntries([...declared, ...outside, ...leftOver]),
    )
  })

  it('require a key and the authorizer of their tier, and lead to the alias of a function of the stack', () => {
    const functions = template.of('AWS::Lambda::Function').map(({ properties }) => properties.FunctionName)
    for (const { name, path, integration, schemes, handler, alias } of answered) {
      expect([name, integration.type, schemes, alias]).toEqual([
        name,
        'aws_proxy',
        [`${tierOf(path)}-tier`, 'api_key'],
        'live',
      ])
      expect(functions).toContainEqual({ 'Fn::Sub': `\${AWS::StackName}-${handler}` })
    }
  })

  it('answer every preflight by the catch-all, without a key or an authorizer, and as a text', () => {
    // A mock fails with bodies as bytes.
    const integration = { type: 'mock', contentHandling: 'CONVERT_TO_TEXT' }
    expect(preflights).toMatchObject([
      { path: '/', schemes: [], integration },
      { path: '/{proxy+}', schemes: [], integration },
    ])
  })
})

const Envelope = z.strictObject({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  errors: z.strictObject({ code: z.enum(Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[]) }),
})
/** After how many seconds a client may try again, where it may. */
const AGAIN: Record<string, { code: string; seconds: number }> = {
  THROTTLED: { code: 'RATE_LIMITED', seconds: 1 },
  QUOTA_EXCEEDED: { code: 'RATE_LIMITED', seconds: 60 },
  WAF_FILTERED: { code: 'RATE_LIMITED', seconds: 60 },
  // A throttled or crashed function.
  INTEGRATION_FAILURE: { code: 'UNAVAILABLE', seconds: 2 },
  DEFAULT_5XX: { code: 'UNAVAILABLE', seconds: 2 },
}

describe('responses of the gateway itself', () => {
  const responses = gatewayResponsesOf(template)

  it('have the envelope, the status of their code and the common headers, and say when to try again', () => {
    for (const [type, { statusCode, responseParameters, responseTemplates }] of Object.entries(responses)) {
      const { errors } = Envelope.parse(JSON.parse(responseTemplates['application/json']))
      const again = AGAIN[type]
      expect([type, statusCode, errors.code]).toEqual([
        type,
        ERROR_STATUS[errors.code],
        again?.code ?? errors.code,
      ])
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
      })
      const wait = responseParameters['gatewayresponse.header.Retry-After']
      expect([type, wait]).toEqual([type, again && `'${again.seconds}'`])
    }
  })

  it('cover every response type, including the default ones', () => {
    const types = Object.keys(responses)
    expect(types).toHaveLength(21)
    expect(types).toEqual(expect.arrayContaining(['DEFAULT_4XX', ...Object.keys(AGAIN)]))
  })
})
