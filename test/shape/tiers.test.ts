// Checks that the authorizer and the usage plans agree on the keys, without which no request passes.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handler } from '../../functions/authorize-tier.ts'
import { TIERS } from '../../shared/http/audience.ts'
import { readTemplate } from './template.ts'

const methodArn = 'arn:aws:execute-api:eu-west-1:000000000000:abc123/live/GET/api/v1/me'

function authorize(resource: string) {
  vi.stubEnv('KEY_SUFFIX', '0b1c2d3e')
  // The function reads only these two members of the event.
  return handler({ resource, methodArn } as Parameters<typeof handler>[0])
}

afterEach(() => vi.unstubAllEnvs())

describe('the authorizer of the tiers', () => {
  it.each([
    ['/api/v1/posts', 'public'],
    ['/api/v1/me', 'me'],
    ['/api/v1/me/tokens/{id}', 'me'],
    ['/api/v1/admin/posts', 'admin'],
    ['/api/v1/menus/{location}', 'public'],
    ['/openapi.json', 'public'],
    ['/{proxy+}', 'public'],
    ['/', 'public'],
  ])('puts %s into the tier %s', async (resource, tier) => {
    expect(await authorize(resource)).toMatchObject({
      principalId: tier,
      usageIdentifierKey: `${tier}-0b1c2d3e`,
    })
  })

  it('allows the whole stage, because its answer is cached for all routes of the tier', async () => {
    const { policyDocument } = await authorize('/api/v1/me')
    expect(policyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'execute-api:Invoke',
        Resource: 'arn:aws:execute-api:eu-west-1:000000000000:abc123/live/*/*',
      },
    ])
  })

  it('returns the values of the API keys', () => {
    const { of, only } = readTemplate()
    const { Environment } = only('AWS::Lambda::Function', 'authorizetier').properties
    const values = of('AWS::ApiGateway::ApiKey').map(({ properties }) => properties.Value)
    const suffix = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }
    expect(Environment).toEqual({ Variables: { KEY_SUFFIX: suffix } })
    expect(values).toEqual(TIERS.map(tier => ({ 'Fn::Join': ['', [`${tier}-`, suffix]] })))
  })
})
