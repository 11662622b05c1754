// Checks the check of a release in the stack: that it runs last, in every deployment, with few permissions.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { BUNDLES, type Change, DOMAIN, OTHER_BUNDLE, synthesize } from './synthesize.ts'
import type { Template } from './template.ts'

const Properties = z.looseObject({
  ServiceTimeout: z.coerce.number(),
  Requests: z.array(z.object({ Function: z.string(), Method: z.string(), Path: z.string() })),
  LimitSeconds: z.number(),
  PausesSeconds: z.array(z.number()),
})

function checkIn({ only }: Template) {
  const { properties, dependsOn } = only('Custom::ReleaseCheck')
  return { properties: Properties.parse(properties), dependsOn }
}

const template = synthesize()
const { properties, dependsOn } = checkIn(template)

describe('the check of a release', () => {
  it('comes after every other resource', () => {
    const others = template.resources.filter(({ type }) => type !== 'Custom::ReleaseCheck')
    expect(dependsOn.toSorted()).toEqual(others.map(({ id }) => id).toSorted())
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
    const timeout = Number(template.only('AWS::Lambda::Function', 'checkrelease').properties.Timeout)
    expect(checked + 10).toBeLessThan(timeout)
    expect(timeout).toBeLessThan(properties.ServiceTimeout)
  })

  it("asks the service's own address, or a custom domain at its target: its DNS record may not exist", () => {
    expect(JSON.stringify(properties.BaseUrl)).toContain('.execute-api.')
    expect(properties.ConnectTo).toBeUndefined()
    const own = checkIn(synthesize(DOMAIN))
    expect(own.properties).toMatchObject({
      BaseUrl: 'https://content.example',
      ConnectTo: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] },
    })
    expect(own.dependsOn).toContain('DomainMapping')
  })
})

describe('the release', () => {
  it('is the same for the same stack', () => {
    expect(checkIn(synthesize()).properties).toEqual(properties)
  })

  const otherCode = (name: string) => (name === 'sweep' ? OTHER_BUNDLE : join(BUNDLES, name))
  it.each<[string, Record<string, string>, Change]>([
    ['the code of a worker', {}, { bundleFolder: otherCode }],
    ['the version', {}, { version: '2' }],
    ['a rate', { adminRate: '400' }, {}],
  ])('changes with %s', (_, context, change) => {
    expect(checkIn(synthesize(context, change)).properties.Release).not.toBe(properties.Release)
  })

  it('comes with the values of all parameters, which change without a new template', () => {
    expect(properties.Parameters).toEqual(
      ['SiteUrl', 'LimitScale', 'AllowedWebhookHosts', 'LogLevel'].map(Ref => ({ Ref })),
    )
  })
})
