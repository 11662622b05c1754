// Checks what bounds a flood and its bill: the rate rule of AWS WAF, the ceiling of the table.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { BUILDS_LIMIT } from '../../shared/http/audience.ts'
import { gatewayResponsesOf, readTemplate } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

const { resources: shielded, outdir } = synthesizeHere({ context: { shield: 'true' } })
const template = readTemplate(outdir)
function of(type: string) {
  return Object.entries(shielded).flatMap(([id, { Type, Properties }]) =>
    Type === type ? { id, properties: Properties } : [],
  )
}

function typesIn(context: Record<string, string>): string[] {
  return Object.values(synthesizeHere({ context }).resources).map(({ Type }) => Type)
}

const Acl = z.object({
  DefaultAction: z.strictObject({ Allow: z.object({}) }),
  Rules: z.tuple([
    z.object({
      Action: z.strictObject({ Block: z.strictObject({}) }),
      Statement: z.object({
        RateBasedStatement: z.strictObject({
          AggregateKeyType: z.literal('IP'),
          EvaluationWindowSec: z.literal(60),
          Limit: z.number(),
        }),
      }),
    }),
  ]),
})

describe('the shield of the stack', () => {
  const [resource] = of('AWS::WAFv2::WebACL')
  const acl = Acl.parse(resource?.properties)
  const [rule] = acl.Rules

  it('is in front of the API, and lets two builds from one address pass', () => {
    const associations = of('AWS::WAFv2::WebACLAssociation')
    expect(associations.map(({ properties }) => properties.WebACLArn)).toEqual([
      { 'Fn::GetAtt': [resource?.id, 'Arn'] },
    ])
    const { Limit } = rule.Statement.RateBasedStatement
    expect(Limit).toBeGreaterThanOrEqual(2 * BUILDS_LIMIT.perMinute)
  })

  it('lets the gateway answer: 429 with the envelope, and Retry-After of its window', () => {
    const { statusCode, responseParameters, responseTemplates } =
      gatewayResponsesOf(template).WAF_FILTERED ?? {}
    expect(statusCode).toBe(429)
    expect(JSON.parse(responseTemplates?.['application/json'] ?? '')).toEqual({
      success: false,
      message: 'Too many requests.',
      errors: { code: 'RATE_LIMITED' },
    })
    expect(responseParameters).toMatchObject({
      'gatewayresponse.header.Retry-After': "'60'",
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
    })
  })

  it.each<[string, Record<string, string>, string[]]>([
    ['is a value of the stage', {}, []],
    [
      'gives way to an ACL of the owner',
      { shield: 'arn:aws:wafv2:us-east-1:0:regional/webacl/a/1' },
      ['AWS::WAFv2::WebACLAssociation'],
    ],
  ])('%s', (_, context, expected) => {
    expect(typesIn(context).filter(type => type.startsWith('AWS::WAFv2'))).toEqual(expected)
  })
})

describe('the ceiling of the table', () => {
  it('bounds the units of the table', () => {
    const { resources } = synthesizeHere({
      context: { maxReadRequestUnits: '500', maxWriteRequestUnits: '200' },
    })
    const [table] = Object.values(resources).filter(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable')
    expect(table?.Properties).toMatchObject({
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 200 },
      Replicas: [{ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 500 } }],
    })
  })
})
