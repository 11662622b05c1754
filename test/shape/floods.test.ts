// Checks what bounds a flood and its bill: the rate rule of AWS WAF, the ceiling of the table; and traces.
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod/mini'
import { BUILDS_LIMIT } from '../../shared/http/audience.ts'
import { readTemplate } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

const template = readTemplate(inject('assembly'))
const { resources: shielded } = synthesizeHere({ context: { shield: 'true' } })
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
  CustomResponseBodies: z.object({ flood: z.object({ ContentType: z.string(), Content: z.string() }) }),
  Rules: z.tuple([
    z.object({
      Action: z.object({
        Block: z.object({
          CustomResponse: z.object({
            ResponseCode: z.number(),
            CustomResponseBodyKey: z.literal('flood'),
            ResponseHeaders: z.array(z.object({ Name: z.string(), Value: z.string() })),
          }),
        }),
      }),
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

  it('answers as the gateway does: 429 with the envelope and Retry-After', () => {
    const { ResponseCode, ResponseHeaders } = rule.Action.Block.CustomResponse
    expect(ResponseCode).toBe(429)
    expect(JSON.parse(acl.CustomResponseBodies.flood.Content)).toEqual({
      success: false,
      message: 'Too many requests.',
      errors: { code: 'RATE_LIMITED' },
    })
    const headers = Object.fromEntries(ResponseHeaders.map(({ Name, Value }) => [Name, Value]))
    expect(headers).toMatchObject({
      'Retry-After': '60',
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
    })
    // AWS WAF refuses the header of its content type.
    expect(Object.keys(headers)).not.toContain('Content-Type')
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
      context: { maxReadRequestUnits: '500', maxWriteRequestUnits: '200', tracing: 'true' },
    })
    const all = Object.values(resources)
    const [table] = all.filter(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable')
    expect(table?.Properties).toMatchObject({
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 200 },
      Replicas: [{ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 500 } }],
    })
    // The same stack is traced: each function, and the stage of the gateway.
    const functions = all.filter(({ Type }) => Type === 'AWS::Lambda::Function')
    for (const { Properties } of functions) expect(Properties.TracingConfig).toEqual({ Mode: 'Active' })
    const roles = all.filter(({ Type, Properties }) => Type === 'AWS::IAM::Role' && Properties.Policies)
    for (const { Properties } of roles) expect(JSON.stringify(Properties)).toContain('xray:PutTraceSegments')
    const [stage] = all.filter(({ Type }) => Type === 'AWS::ApiGateway::Stage')
    expect(stage?.Properties.TracingEnabled).toBe(true)
    expect(template.text).not.toContain('xray:')
  })
})
