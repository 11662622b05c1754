// Checks that the roles of the template grant exactly the declared access.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { partitionsOf } from '../../shared/service/permissions.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../../shared/service/workers.ts'
import type { Reach } from '../../shared/table/kinds.ts'
import { idIn, idOf, plain, policiesOf, readTemplate } from './synthesized.ts'
import { synthesizeHere } from './synthesized-here.ts'

const LARGEST_POLICIES = 10_240

const SENDER = 'content@example.com'
const template = readTemplate(synthesizeHere({ context: { mailSender: SENDER } }).outdir)
const declared = {
  ...API_FUNCTIONS,
  ...QUEUE_WORKERS,
  ...SCHEDULED_WORKERS,
}

function listOf<Item extends z.ZodMiniType>(item: Item) {
  return z.union([
    z.array(item),
    z.pipe(
      item,
      z.transform((item: z.output<Item>) => [item]),
    ),
  ])
}

const Statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: listOf(z.string()),
  Resource: listOf(z.unknown()),
  Condition: z.optional(z.unknown()),
})
const policies = policiesOf(template).map(({ role, statements, size }) => ({
  role,
  statements: z.array(Statement).parse(statements),
  size,
}))
const statements = policies.flatMap(({ role, statements }) =>
  statements.map(statement => ({ role, ...statement })),
)

function isMailing({ Action }: z.output<typeof Statement>) {
  return Action.some(action => action.startsWith('ses:'))
}

const [mailing, others] = [
  statements.filter(isMailing),
  statements.filter(statement => !isMailing(statement)),
]

describe('the roles', () => {
  it('grant no wildcard in actions or resources, and no Scan', () => {
    const wide = others.filter(
      ({ Action, Resource }) =>
        Action.some(action => action.includes('*') || action.endsWith(':Scan')) ||
        JSON.stringify(Resource).includes('*'),
    )
    expect(wide).toEqual([])
  })

  it('let one function send mail, only from the configured address', () => {
    expect(mailing.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [['ses:SendEmail'], { StringEquals: { 'ses:FromAddress': SENDER } }],
    ])
    expect(policies.filter(({ statements }) => statements.some(isMailing)).map(({ role }) => role)).toEqual([
      'jobsrole',
    ])
  })

  it('have one inline policy each, except the roles of API Gateway for its logs', () => {
    const roles = template.of('AWS::IAM::Role')
    const borrowing = roles.filter(({ properties }) => properties.ManagedPolicyArns)
    const exceptions = ['apicloudwatchrole']
    expect(borrowing.map(({ id }) => plain(id))).toEqual(exceptions)
    expect(policies.map(({ role }) => role).toSorted()).toEqual(
      roles
        .map(({ id }) => plain(id))
        .filter(role => !exceptions.includes(role))
        .toSorted(),
    )
    expect(['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap(template.of)).toEqual([])
  })

  it('belong to one function each', () => {
    const roles = template.of('AWS::Lambda::Function').map(({ properties }) => idIn(properties.Role))
    expect(new Set(roles).size).toBe(roles.length)
  })

  it(`have policies of fewer than ${LARGEST_POLICIES} characters, the limit of AWS`, () => {
    const perRole = Object.groupBy(policies, ({ role }) => role)
    const sizes = Object.values(perRole).map(all => (all ?? []).reduce((sum, { size }) => sum + size, 0))
    expect(Math.max(...sizes)).toBeLessThan(LARGEST_POLICIES)
  })

  it('grant access only to the kinds of records that their function declares', () => {
    const LeadingKeys = z.object({
      'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()) }),
      Null: z.object({ 'dynamodb:LeadingKeys': z.literal('false') }),
    })
    const keysOf = (reaches: Reach[]) => new Set(reaches.flatMap(partitionsOf))
    for (const [name, access] of Object.entries(declared)) {
      const { reads, writes, puts, updates } = access
      const own = policies.filter(({ role }) => role === `${idOf(name)}role`)
      const granted = (action: string) =>
        own
          .flatMap(policy => policy.statements)
          .filter(({ Action }) => Action.some(allowed => allowed.startsWith(`dynamodb:${action}`)))
          .flatMap(
            ({ Condition }) =>
              LeadingKeys.parse(Condition)['ForAllValues:StringLike']['dynamodb:LeadingKeys'],
          )
      const reaches = {
        Query: reads,
        PutItem: [...writes, ...puts],
        UpdateItem: [...writes, ...updates],
        DeleteItem: writes,
        BatchWriteItem: writes,
        ConditionCheckItem: [...writes, ...reads],
        /** All together. */
        '': [...reads, ...writes, ...puts, ...updates],
      }
      for (const [action, expected] of Object.entries(reaches)) {
        expect([name, action, new Set(granted(action))]).toEqual([name, action, keysOf(expected)])
      }
    }
  })

  it.each(['community', 'me'])('let %s check posts in conditions, but not write them', name => {
    const conditionsOf = (statements: z.output<typeof Statement>[]) =>
      JSON.stringify(statements.map(({ Condition }) => Condition))
    const own = policies
      .filter(({ role }) => role === `${idOf(name)}role`)
      .flatMap(policy => policy.statements)
    const having = (action: string) => own.filter(({ Action }) => Action.includes(`dynamodb:${action}`))
    expect(conditionsOf(having('ConditionCheckItem'))).toContain('"POST"')
    expect(conditionsOf(having('PutItem'))).not.toContain('"POST"')
  })

  it('let public write nothing but counts', () => {
    const own = policies.filter(({ role }) => role === 'publicrole').flatMap(policy => policy.statements)
    const writing = own.filter(
      ({ Action }) =>
        !Action.every(action => /:(?:Get|BatchGet|Query|ConditionCheck|Create|PutLog)/.test(action)),
    )
    expect(writing.map(({ Condition }) => Condition)).toEqual([
      expect.objectContaining({
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['LIMIT', 'LIMIT#*'] },
      }),
    ])
  })

  it('let the authorizer only write logs', () => {
    const own = policies.filter(({ role }) => role === `${idOf('authorize-tier')}role`)
    const actions = own.flatMap(policy => policy.statements).flatMap(({ Action }) => Action)
    expect(actions.toSorted()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents'])
  })
})
