// An evaluator that remembers allowed requests decides each request as one that has seen none.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEvaluator } from '../../infra/local/access/evaluate.ts'
import type { AccessRequest, Statement } from '../../infra/local/access/policy.ts'
import { openRemembered } from '../../infra/local/access/remembered.ts'
import { allow, TABLE } from './policy-world.ts'

const KEYS = ['A', 'A#1', 'A#2', 'A#12', 'B#1', 'B#list:1', 'B#list:2', 'AB#1', 'A#1#2', '']
const PATTERNS = ['A', 'A#*', 'A#1', 'A#1*', 'A*', 'B#list:*', 'B#list:1', 'B#?', '*', '?B#*', 'A#*2']
const ATTRIBUTES = ['pk', 'title', 'last_used_at']
const ACTIONS = ['dynamodb:GetItem', 'dynamodb:PutItem']

const statement: fc.Arbitrary<Statement> = fc
  .record({
    Effect: fc.constantFrom('Allow' as const, 'Deny' as const),
    Action: fc.subarray(ACTIONS, { minLength: 1 }),
    patterns: fc.subarray(PATTERNS, { minLength: 1, maxLength: 3 }),
    attributes: fc.option(fc.subarray(ATTRIBUTES, { minLength: 1 })),
  })
  .map(({ Effect, Action, patterns, attributes }) => ({
    ...allow(Action, TABLE, {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
      ...(attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes } }),
      Null: { 'dynamodb:LeadingKeys': ['false'] },
    }),
    Effect,
  }))

const request: fc.Arbitrary<AccessRequest> = fc.record({
  action: fc.constantFrom(...ACTIONS),
  resource: fc.constantFrom(TABLE, `${TABLE}/index/open`),
  context: fc.record({
    'dynamodb:LeadingKeys': fc.array(fc.constantFrom(...KEYS), { maxLength: 3 }),
    'dynamodb:Attributes': fc.subarray(ATTRIBUTES),
  }),
})

function open(statements: Statement[]) {
  return createEvaluator('Function', statements, () => undefined)
}

describe('an evaluator with a memory', () => {
  it('decides each request as one without', () => {
    const statements = fc.array(statement, { minLength: 1, maxLength: 4 })
    const property = fc.property(statements, fc.array(request, { maxLength: 60 }), (policies, requests) => {
      const remembering = open(policies)
      for (const each of requests) expect(remembering([each])).toBe(open(policies)([each]))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('notes each used permission once', () => {
    const used: unknown[] = []
    const own = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['A#*', 'B#*'] } }
    const evaluate = createEvaluator('Function', [allow(ACTIONS, TABLE, own)], note => used.push(note))
    const read = (key: string): AccessRequest => ({
      action: 'dynamodb:GetItem',
      resource: TABLE,
      context: { 'dynamodb:LeadingKeys': [key] },
    })
    for (const key of ['A#1', 'A#2', 'B#1', 'A#3', 'B#2']) expect(evaluate([read(key)])).toBeUndefined()
    expect(used).toHaveLength(2)
  })
})

describe('openRemembered', () => {
  const onKeys = (patterns: string[]) =>
    openRemembered([
      allow(ACTIONS, TABLE, { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } }),
    ])
  const nameIn = (patterns: string[]) => (key: string) =>
    onKeys(patterns).nameOf({
      action: 'dynamodb:GetItem',
      resource: TABLE,
      context: { 'dynamodb:LeadingKeys': [key] },
    })

  it('gives requests for keys of one kind one name, unless a pattern tells them apart', () => {
    const byKind = nameIn(['POST', 'POST#*', 'LIST#posts'])
    expect(byKind('POST#1')).toBe(byKind('POST#2'))
    expect(byKind('POST#1')).not.toBe(byKind('POST'))
    expect(byKind('POST#1')).not.toBe(byKind('POSTS#1'))
    expect(byKind('LIST#posts')).not.toBe(byKind('LIST#drafts'))
  })

  it('forgets all names when there are too many', () => {
    const remembered = onKeys(['LIST#posts'])
    remembered.add('first')
    for (let n = 0; n < 5_000; n++) remembered.add(`name ${n}`)
    expect(remembered.has('first')).toBe(false)
    expect(remembered.has('name 4999')).toBe(true)
  })
})
