// Checks how requests move to a new release: versions, aliases, and the groups of CodeDeploy that move them.
import { describe, expect, it } from 'vitest'
import { ALARMS } from '../../infra/alarms.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { synthesize } from './synthesize.ts'
import { idIn, idOf, plain, type Template } from './template.ts'

const PARAMETERS = ['SiteUrl', 'LimitScale', 'AllowedWebhookHosts', 'LogLevel']
const VERSION = 'AWS::Lambda::Version'

const before = synthesize()
const canary = synthesize({ traffic: 'canary' })
const answering = Object.keys(API_FUNCTIONS).map(idOf).toSorted()
const aliases = canary.of('AWS::Lambda::Alias')

function idsOf(template: Template, type: string): string[] {
  return template.of(type).map(({ id }) => id)
}

describe('the alias', () => {
  it('exists for each function that answers requests and for no other, and names its version', () => {
    const functions = aliases.map(({ properties }) => {
      const version = canary.of(VERSION).find(({ id }) => id === idIn(properties.FunctionVersion))
      expect(properties.Name).toBe('live')
      expect(version?.properties.FunctionName).toEqual(properties.FunctionName)
      return plain(idIn(properties.FunctionName) ?? '')
    })
    expect(functions.toSorted()).toEqual(answering)
    expect(canary.of(VERSION)).toHaveLength(answering.length)
  })

  it('exists with its one permission for the whole API before the gateway uses it', () => {
    const permissions = canary
      .of('AWS::Lambda::Permission')
      .filter(({ properties }) => JSON.stringify(properties.SourceArn).includes('"/*/*/*"'))
    const invoked = permissions.map(({ properties }) => idIn(properties.FunctionName))
    expect(invoked.toSorted()).toEqual(aliases.map(({ id }) => id).toSorted())
    expect(canary.only('AWS::ApiGateway::Deployment').dependsOn).toEqual(
      expect.arrayContaining([...aliases, ...permissions].map(({ id }) => id)),
    )
  })

  it('is moved by a group of its own: a tenth of the requests for five minutes, and back by an alarm', () => {
    const application = canary.only('AWS::CodeDeploy::Application').id
    const groups = canary.of('AWS::CodeDeploy::DeploymentGroup')
    expect(groups).toHaveLength(answering.length)
    expect(new Set(groups.map(({ properties }) => idIn(properties.ServiceRoleArn))).size).toBe(1)
    for (const { id: alias, updatePolicy } of aliases) {
      const { DeploymentGroupName } = Object(updatePolicy).CodeDeployLambdaAliasUpdate
      const group = groups.find(({ id }) => id === idIn(DeploymentGroupName))
      expect(plain(group?.id ?? '')).toBe(plain(alias).replace(/live$/, 'release'))
      expect(group?.properties).toMatchObject({
        ApplicationName: { Ref: application },
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      })
      const { Alarms, Enabled } = Object(group?.properties.AlarmConfiguration)
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
    for (const { properties } of canary.of(VERSION)) {
      const text = JSON.stringify(properties.Description)
      expect(PARAMETERS.filter(name => !text.includes(`{"Ref":"${name}"}`))).toEqual([])
    }
  })

  it('has a description that fits into 256 characters', () => {
    const longestScale = '99999999.999999'.length + 9
    const longest = (name: string) => canary.parameters[name]?.MaxLength ?? Number.NaN
    const values = longest('SiteUrl') + longest('AllowedWebhookHosts') + longestScale + 'debug'.length
    expect(values + 3).toBeLessThanOrEqual(256)
  })

  it('is another one with another configuration of its function, and else the same', () => {
    const after = synthesize({ v2ShippedOn: '2030-01-01', disposable: 'true', traffic: 'canary' })
    const [was, is] = [before, after].map(template => idsOf(template, VERSION))
    expect(is).toHaveLength(was?.length ?? 0)
    expect(is?.filter(id => was?.includes(id))).toEqual([])
    for (const type of [VERSION, 'AWS::Lambda::Alias', 'AWS::Lambda::Permission']) {
      expect(idsOf(canary, type)).toEqual(idsOf(before, type))
    }
    expect(after.of('AWS::CodeDeploy::DeploymentGroup')).toHaveLength(answering.length)
  })
})
