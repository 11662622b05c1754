// Checks the check of a release in the stack: that it runs last, in every deployment, with few permissions.
import { join } from 'node:path'
import type { CfnParameter } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { idIn } from './synthesized.ts'
import { BUNDLES, type Change, OTHER_BUNDLE, synthesizeHere } from './synthesized-here.ts'

const { resources, id, dependsOn, properties } = synthesizeHere()
const handlerId = idIn(properties.ServiceToken) ?? ''

describe('the check of a release', () => {
  it('comes after every other resource', () => {
    const others = Object.keys(resources).filter(other => other !== id)
    expect(dependsOn.toSorted()).toEqual(others.toSorted())
  })

  it('sends one request to every function that answers requests', () => {
    expect(properties.Requests.map(request => request.Function)).toEqual(Object.keys(API_FUNCTIONS))
  })

  it('changes nothing: it reads, or sends what is refused without a token or a body', () => {
    const endpoints = Object.values(API_FUNCTIONS).flatMap(({ endpoints }) => Object.values(endpoints))
    for (const { Method, Path } of properties.Requests.filter(({ Method }) => Method !== 'GET')) {
      const endpoint = endpoints.find(({ method, path }) => method === Method && path === Path)
      expect(endpoint?.ability !== null || endpoint?.body !== null).toBe(true)
    }
  })

  it('ends before its function is stopped, and that before CloudFormation stops waiting', () => {
    const { LimitSeconds, PausesSeconds } = properties
    const attempts = LimitSeconds * (PausesSeconds.length + 1)
    const checked = PausesSeconds.reduce((sum, pause) => sum + pause, attempts)
    const timeout = Number(resources[handlerId]?.Properties.Timeout)
    expect(checked + 10).toBeLessThan(timeout)
    expect(timeout).toBeLessThan(Number(properties.ServiceTimeout))
  })

  it('may only write its log', () => {
    const roleId = idIn(resources[handlerId]?.Properties.Role) ?? ''
    const Statement = [
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^checkreleaselog/), 'Arn'] },
      },
    ]
    expect(resources[roleId]?.Properties.Policies).toEqual([
      { PolicyDocument: { Version: '2012-10-17', Statement }, PolicyName: 'access' },
    ])
    expect(resources[handlerId]?.Properties.Environment).toBeUndefined()
  })

  it("asks the service's own address, or a custom domain at its target: its DNS record may not exist", () => {
    expect(JSON.stringify(properties.BaseUrl)).toContain('.execute-api.')
    expect(properties.ConnectTo).toBeUndefined()
    const own = synthesizeHere({
      context: {
        domain: 'content.example',
        certificate: 'arn:aws:acm:us-east-1:0:certificate/1',
        shield: 'true',
      },
    })
    expect(own.properties.BaseUrl).toBe('https://content.example')
    expect(own.properties.ConnectTo).toEqual({ 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] })
    const types = own.dependsOn.map(other => own.resources[other]?.Type)
    expect(types).toContain('AWS::ApiGateway::BasePathMapping')
    expect(types).toContain('AWS::WAFv2::WebACLAssociation')
  })
})

describe('the release', () => {
  it('is the same for the same stack', () => {
    expect(synthesizeHere().properties).toEqual(properties)
  })

  it.each<[string, Change]>([
    [
      'the code of a worker',
      { bundleFolder: name => (name === 'sweep' ? OTHER_BUNDLE : join(BUNDLES, name)) },
    ],
    ['the version', { version: '2' }],
    ['a rate', { context: { adminRate: '400' } }],
    [
      'the default of a parameter',
      {
        change: stack => {
          const limitScale = stack.node.findChild('LimitScale') as CfnParameter
          limitScale.default = '2'
        },
      },
    ],
  ])('changes with %s', (_, change) => {
    expect(synthesizeHere(change).properties.Release).not.toBe(properties.Release)
  })

  it('comes with the values of all parameters, which change without a new template', () => {
    expect(properties.Parameters).toEqual(
      ['SiteUrl', 'LimitScale', 'AllowedWebhookHosts', 'LogLevel'].map(Ref => ({ Ref })),
    )
  })
})
