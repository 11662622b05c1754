// A permission for some attributes of an item: every attribute that a call names counts, whatever it does with it.
import { describe, expect, it } from 'vitest'
import { dynamodbRequests } from '../../infra/local/access/calls.ts'
import { type AccessNote, createEvaluator } from '../../infra/local/access/evaluate.ts'
import type { Statement } from '../../infra/local/access/policy.ts'
import { allow, one, partitionKeys, problemWith, put, TABLE } from './policy-world.ts'

describe('a permission for some attributes', () => {
  const onlyUse: Statement = allow(['dynamodb:UpdateItem'], TABLE, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'last_used_at'] },
    Null: { 'dynamodb:LeadingKeys': ['false'], 'dynamodb:Attributes': ['false'] },
  })
  const problemOf = (UpdateExpression: string, more: object = {}) =>
    problemWith([onlyUse], 'UpdateItem', { ...one('USER#1'), UpdateExpression, ...more })

  it.each<[string, object]>([
    ['SET last_used_at = :now', {}],
    ['SET #used = if_not_exists(#used, :now)', { ExpressionAttributeNames: { '#used': 'last_used_at' } }],
    ['SET last_used_at = :now', { ConditionExpression: 'attribute_exists(pk) AND NOT (sk = :sk)' }],
    ['REMOVE last_used_at', {}],
  ])('lets an update through that names no other: %s %j', (expression, more) => {
    expect(problemOf(expression, more)).toBeUndefined()
  })

  it.each<[string, object]>([
    ['SET last_used_at = :now, abilities = :all', {}],
    ['SET #a.#b[0] = :all', { ExpressionAttributeNames: { '#a': 'abilities', '#b': 'last_used_at' } }],
    ['SET last_used_at = secret_hash', {}],
    ['ADD hits :one', {}],
    ['SET last_used_at = :now', { ConditionExpression: 'begins_with(secret_hash, :guess)' }],
  ])('denies one that names another: %s %j', (expression, more) => {
    expect(problemOf(expression, more)).toContain('dynamodb:Attributes')
  })

  it('denies other writes of the same item, alone and in a transaction', () => {
    expect(problemWith([onlyUse], 'PutItem', put('USER#1'))).toContain('dynamodb:PutItem')
    const update = { ...one('USER#1'), UpdateExpression: 'SET secret_hash = :mine' }
    expect(problemWith([onlyUse], 'TransactWriteItems', { TransactItems: [{ Update: update }] })).toContain(
      'secret_hash',
    )
  })

  it('goes by a name of its own', () => {
    const notes: AccessNote[] = []
    const evaluate = createEvaluator('F', [onlyUse], note => notes.push(note))
    const input = { ...one('USER#1'), UpdateExpression: 'SET last_used_at = :now' }
    evaluate(dynamodbRequests({ operation: 'UpdateItem', input }, partitionKeys))
    expect(notes).toEqual([{ used: 'F: dynamodb:UpdateItem of USER (pk, sk, last_used_at)' }])
  })
})
