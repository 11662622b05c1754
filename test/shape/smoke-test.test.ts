// Checks the smoke test in the stack: that it runs last, in every deployment, with few permissions.
import { join } from 'node:path'
import type { CfnParameter } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { BUNDLES, type Change, OTHER_BUNDLE, synthesizeHere } from './smoke-stack.ts'
import { idIn, plain } from './synthesized.ts'

const { resources, id, dependsOn, properties } = synthesizeHere()
const handlerId = idIn(properties.ServiceToken) ?? ''

describe('the smoke test', () => {
  it('comes after every other resource', () => {
    expect(dependsOn.toSorted()).toEqual(
      Object.keys(resources)
        .filter(other => other !== id)
        .toSorted(),
    )
  })

  it('sends one request to every function that answers requests', () => {
    expect(properties.Requests.map(request => request.Function).toSorted()).toEqual(
      Object.keys(API_FUNCTIONS).toSorted(),
    )
    expect(properties.Requests[0]).toMatchObject({
      Function: 'public',
      Method: 'GET',
      Path: '/api/v1/health',
    })
  })

  it('changes nothing: it reads, or sends what is refused without a token or a body', () => {
    const writing = properties.Requests.filter(({ Method }) => Method !== 'GET')
    expect(writing.map(({ Method, Path }) => `${Method} ${Path}`)).toEqual([
      'POST /api/v1/contact',
      'POST /api/v1/auth/logout',
    ])
  })

  it('names the log group of each function', () => {
    for (const { Function: name, LogGroup } of properties.Requests) {
      expect(plain(idIn(LogGroup) ?? '')).toBe(`${name.replaceAll('-', '')}log`)
    }
  })

  it('ends before its function is stopped, and that before CloudFormation stops waiting', () => {
    const { LimitSeconds, PausesSeconds } = properties
    const attempts = LimitSeconds * (PausesSeconds.length + 1)
    const tested = PausesSeconds.reduce((sum, pause) => sum + pause, attempts)
    // Two attempts to read the status, and three to send the answer.
    const around = 2 * (1 + 3) + 3 * 4 + 2 * 0.5
    const timeout = Number(resources[handlerId]?.Properties.Timeout)
    expect(tested + around).toBeLessThan(timeout)
    expect(timeout).toBeLessThan(Number(properties.ServiceTimeout))
  })

  it('may only read the status of its own stack, and write its log', () => {
    const roleId = idIn(resources[handlerId]?.Properties.Role) ?? ''
    const document = {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { 'Fn::GetAtt': [expect.stringMatching(/^smoketestlog/), 'Arn'] },
        },
        { Effect: 'Allow', Action: 'cloudformation:DescribeStacks', Resource: { Ref: 'AWS::StackId' } },
      ],
    }
    expect(resources[roleId]?.Properties.Policies).toEqual([
      { PolicyDocument: document, PolicyName: 'access' },
    ])
    expect(resources[handlerId]?.Properties.Environment).toBeUndefined()
  })

  it("asks the service's own address", () => {
    expect(JSON.stringify(properties.BaseUrl)).toContain('.execute-api.')
    expect(properties.ConnectTo).toBeUndefined()
  })

  it('asks a custom domain at its target, because its DNS record may not exist yet', () => {
    const own = synthesizeHere({
      context: {
        domain: 'content.example',
        certificate: 'arn:aws:acm:us-east-1:0:certificate/1',
        webAcl: 'arn:aws:wafv2:us-east-1:0:regional/webacl/a/1',
      },
    })
    expect(own.properties.BaseUrl).toBe('https://content.example')
    expect(own.properties.ConnectTo).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^Domain/), 'RegionalDomainName'],
    })
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
      { bundleFolder: name => (name === 'jobs' ? OTHER_BUNDLE : join(BUNDLES, name)) },
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
      ['SiteUrl', 'LimitScale', 'AllowedWebhookHosts', 'MailSender', 'LogLevel'].map(Ref => ({ Ref })),
    )
  })
})
