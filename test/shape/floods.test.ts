// Checks what bounds a flood and its bill: the rate rule of AWS WAF, the ceiling of the table.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { BUILDS_LIMIT } from '../../shared/http/audience.ts'
import { synthesize } from './synthesize.ts'

const Acl = z.object({
  DefaultAction: z.strictObject({ Allow: z.object({}) }),
  Rules: z.tuple([
    z.object({
      Action: z.strictObject({ Block: z.strictObject({}) }),
      Statement: z.object({
        RateBasedStatement: z.strictObject({
          AggregateKeyType: z.literal('IP'),
          EvaluationWindowSec: z.literal(60),
          Limit: z.number().check(z.minimum(2 * BUILDS_LIMIT.perMinute)),
        }),
      }),
    }),
  ]),
})

describe('the shield of a stage', () => {
  it('is a rule in front of the API, which lets two builds from one address pass', () => {
    const { only } = synthesize({ shield: 'true' })
    const { id, properties } = only('AWS::WAFv2::WebACL')
    expect(() => Acl.parse(properties)).not.toThrow()
    expect(only('AWS::WAFv2::WebACLAssociation').properties.WebACLArn).toEqual({ 'Fn::GetAtt': [id, 'Arn'] })
  })
})

describe('the ceiling of the table', () => {
  it('bounds the units of the table', () => {
    const { only } = synthesize({ maxReadRequestUnits: '500', maxWriteRequestUnits: '200' })
    expect(only('AWS::DynamoDB::GlobalTable').properties).toMatchObject({
      WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 200 },
      Replicas: [{ ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 500 } }],
    })
  })
})
