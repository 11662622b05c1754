// Checks how requests move to a new release: versions, aliases, and the groups of CodeDeploy that move them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ALARMS } from '../../infra/alarms.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { idIn, idOf, plain } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

const Properties = z._default(z.looseObject({}), {})
const File = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties, DependsOn: z.optional(z.array(z.string())) }),
  ),
})
const { outdir } = synthesizeHere({ context: { traffic: 'canary' } })
const file = join(outdir, 'ContentService.template.json')
const { Resources } = File.parse(JSON.parse(readFileSync(file, 'utf8')))

const answering = Object.keys(API_FUNCTIONS).map(name => idOf(name))
const aliases = Object.entries(of('AWS::Lambda::Alias', Resources))

function of<R extends { Type: string }>(type: string, resources: Record<string, R>): Record<string, R> {
  return Object.fromEntries(Object.entries(resources).filter(([, { Type }]) => Type === type))
}

/** The logical ids of versions, by the plain id of their function. */
function versionsIn(resources: Record<string, { Type: string; Properties: object }>): Map<string, string> {
  const versions = Object.entries(of('AWS::Lambda::Version', resources))
  return new Map(
    versions.map(([id, { Properties }]) => [plain(idIn(Object(Properties).FunctionName) ?? ''), id]),
  )
}

describe('the alias', () => {
  it('exists for each function that answers requests and for no other, and names its version', () => {
    const found = aliases.map(([id, { Properties }]) => {
      const version = idIn(Properties.FunctionVersion) ?? ''
      expect(Properties.Name).toBe('live')
      expect(Resources[version]?.Type).toBe('AWS::Lambda::Version')
      expect(Resources[version]?.Properties.FunctionName).toEqual(Properties.FunctionName)
      return plain(id).replace(/live$/, '')
    })
    expect(found.toSorted()).toEqual(answering.toSorted())
    expect([...versionsIn(Resources).keys()].toSorted()).toEqual(answering.toSorted())
  })

  it('exists with its permission before the gateway uses it', () => {
    const [deployment] = Object.values(of('AWS::ApiGateway::Deployment', Resources))
    const permissions = Object.entries(of('AWS::Lambda::Permission', Resources)).flatMap(
      ([id, { Properties }]) => (/\/\*\/\*\/\*/.test(JSON.stringify(Properties.SourceArn)) ? id : []),
    )
    expect(permissions).toHaveLength(answering.length)
    expect(deployment?.DependsOn).toEqual(
      expect.arrayContaining([...aliases.map(([id]) => id), ...permissions]),
    )
  })

  it('is moved by a group of its own: a tenth of the requests for five minutes, and back by an alarm', () => {
    const [application, ...others] = Object.keys(of('AWS::CodeDeploy::Application', Resources))
    expect(others).toEqual([])
    const groups = of('AWS::CodeDeploy::DeploymentGroup', Resources)
    expect(Object.keys(groups)).toHaveLength(answering.length)
    const roles = Object.values(groups).map(({ Properties }) => idIn(Properties.ServiceRoleArn))
    expect(new Set(roles).size).toBe(1)
    for (const [id, { UpdatePolicy }] of aliases) {
      const group = idIn(Object(UpdatePolicy).CodeDeployLambdaAliasUpdate?.DeploymentGroupName) ?? ''
      expect(plain(group)).toBe(plain(id).replace(/live$/, 'release'))
      expect(groups[group]?.Properties).toMatchObject({
        ApplicationName: { Ref: application },
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      })
      const { Alarms, Enabled } = Object(groups[group]?.Properties.AlarmConfiguration)
      const named = Object.values<unknown>(Alarms).map(alarm => plain(idIn(alarm) ?? ''))
      expect([Enabled, named]).toEqual([
        true,
        ALARMS.flatMap(({ id, rollsBack }) => (rollsBack ? `alarms${idOf(id)}` : [])),
      ])
    }
  })
})

describe('a version', () => {
  it('is described by all parameters, since they change without a new template', () => {
    const described = [...versionsIn(Resources)].map(([name, id]) => {
      const { Description } = Object(Resources[id]?.Properties)
      const text = JSON.stringify(Description ?? '')
      const parameters = ['SiteUrl', 'LimitScale', 'AllowedWebhookHosts', 'LogLevel']
      return [name, parameters.filter(parameter => text.includes(`{"Ref":"${parameter}"}`))]
    })
    const all = ['SiteUrl', 'LimitScale', 'AllowedWebhookHosts', 'LogLevel']
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(answering.map(name => [name, all])))
  })

  it('has a description that fits into 256 characters', () => {
    const Parameters = z.object({
      Parameters: z.record(z.string(), z.looseObject({ MaxLength: z.optional(z.number()) })),
    })
    const lengths = Parameters.parse(JSON.parse(readFileSync(file, 'utf8'))).Parameters
    const longestScale = '99999999.999999'.length + 9
    const longest = (name: string) => lengths[name]?.MaxLength ?? Number.NaN
    const values = longest('SiteUrl') + longest('AllowedWebhookHosts') + longestScale + 'debug'.length
    expect(values + 3).toBeLessThanOrEqual(256)
  })
})

describe('another configuration', () => {
  const before = synthesizeHere().resources
  const after = synthesizeHere({
    context: { tracing: 'true', disposable: 'true', traffic: 'canary' },
  }).resources

  it('makes another version of each function', () => {
    expect([...versionsIn(after).keys()]).toEqual([...versionsIn(before).keys()])
    const [was, is] = [before, after].map(resources => Object.keys(of('AWS::Lambda::Version', resources)))
    expect(is).toHaveLength(was?.length ?? 0)
    expect(is?.filter(id => was?.includes(id))).toEqual([])
  })

  it('keeps the version of a function that it does not change', () => {
    const own = Resources
    for (const type of ['AWS::Lambda::Version', 'AWS::Lambda::Alias', 'AWS::Lambda::Permission']) {
      expect(Object.keys(of(type, own))).toEqual(Object.keys(of(type, before)))
    }
  })

  it('makes a disposable stage move bit by bit, with an alarm to move it back, which nobody need hear', () => {
    const [group] = Object.values(of('AWS::CodeDeploy::DeploymentGroup', after))
    expect(group?.Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes')
    const { Alarms } = Object(group?.Properties.AlarmConfiguration)
    expect(Object.values(Alarms)).toHaveLength(1)
  })
})
