// Tests a second stage of the stack: with another name, disposable, and with v2 shipped.
import { describe, expect, it } from 'vitest'
import { DOCUMENT } from '../../shared/service/api-functions.ts'
import { ENDPOINTS, sendTo } from '../support/endpoints.ts'
import { rawRequest } from '../support/raw.ts'
import { useWorld } from '../support/world.ts'
import { synthesize } from './synthesize.ts'
import { gatewayResponsesOf, plain, type Template } from './template.ts'

const STAGE = 'elsewhere'
const old = synthesize({ stage: STAGE, disposable: 'true', v2ShippedOn: '2026-08-31' })

describe('a stage with another name', () => {
  it('has the same template, without its name', () => {
    expect(old.text).not.toContain(STAGE)
  })
})

describe('a disposable stage', () => {
  it('retains no resource except the account setting for API Gateway logs', () => {
    const retained = old.resources.filter(({ deletionPolicy }) => deletionPolicy?.startsWith('Retain'))
    // All stages of an account share this setting.
    expect(retained.map(({ id }) => plain(id)).toSorted()).toEqual(['apiaccount', 'apicloudwatchrole'])
    expect(old.text).not.toMatch(/"(DeletionProtectionEnabled|PointInTimeRecoveryEnabled)": true/)
  })

  it('has aliases, so that another value of traffic changes no address, but no part of CodeDeploy', () => {
    expect(old.of('AWS::Lambda::Alias').length).toBeGreaterThan(0)
    expect(old.text).not.toMatch(/CodeDeploy/i)
  })
})

describe('a stage with another table', () => {
  it('has none of its own, and gives that one to its functions and roles', () => {
    const adopted = synthesize({ table: 'restored' })
    expect(adopted.of('AWS::DynamoDB::GlobalTable')).toEqual([])
    const tablesIn = (template: Template) => template.text.match(/"TABLE_NAME": [^,\n]*/g) ?? []
    expect(new Set(tablesIn(adopted))).toEqual(new Set(['"TABLE_NAME": "restored"']))
    expect(tablesIn(adopted).length).toBe(tablesIn(old).length)
    expect(JSON.stringify(adopted.of('AWS::IAM::Role'))).toContain(':table/restored')
  })
})

describe('a service whose v2 has shipped', () => {
  const world = useWorld({ environment: { V2_SHIPPED_ON: '2026-08-31T00:00:00Z' } })
  const deprecationOf = ({ headers }: { headers: Record<string, string> }) => [
    headers.deprecation,
    headers.sunset,
  ]
  const DATES = [`@${Date.parse('2026-08-31T00:00:00Z') / 1000}`, 'Mon, 01 Mar 2027 00:00:00 GMT']

  it.each(ENDPOINTS)('answers $name with the dates of deprecation and sunset', async ({ endpoint }) => {
    const send = sendTo(world.baseUrl)
    for (const token of [world.admin, 'nobody']) {
      expect(deprecationOf(await send(endpoint, { token }))).toEqual(DATES)
    }
  })

  it('sends these dates with the document and in responses of the gateway itself as well', async () => {
    for (const { responseParameters } of Object.values(gatewayResponsesOf(old))) {
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.Deprecation': `'${DATES[0]}'`,
        'gatewayresponse.header.Sunset': `'${DATES[1]}'`,
      })
    }
    expect(deprecationOf(await rawRequest(world.baseUrl, 'GET', DOCUMENT.path))).toEqual(DATES)
  })
})
