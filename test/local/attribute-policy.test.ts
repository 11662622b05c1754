// Permissions for some attributes of an item: a call may mention no other attribute.
import { describe, expect, it } from 'vitest'
import { dynamodbRequests } from '../../infra/local/access/calls.ts'
import { type AccessNote, createEvaluator } from '../../infra/local/access/evaluate.ts'
import type { Statement } from '../../infra/local/access/policy.ts'
import { allow, denialBy, keyIn, PARTITION_KEYS, put, TABLE } from './policy-world.ts'

describe('a policy for some attributes of an item', () => {
  const onlyUse: Statement = allow(['dynamodb:UpdateItem'], TABLE, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] },
    'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'last_used_at'] },
    Null: { 'dynamodb:LeadingKeys': ['false'], 'dynamodb:Attributes': ['false'] },
  })
  const denialOf = (UpdateExpression: string, members: object = {}) =>
    denialBy([onlyUse], 'UpdateItem', { ...keyIn('USER#1'), UpdateExpression, ...members })

  it.each<[string, object]>([
    ['SET last_used_at = :now', {}],
    ['SET #used = if_not_exists(#used, :now)', { ExpressionAttributeNames: { '#used': 'last_used_at' } }],
    ['SET last_used_at = :now', { ConditionExpression: 'attribute_exists(pk) AND NOT (sk = :sk)' }],
    ['REMOVE last_used_at', {}],
  ])('allows an update of its attributes: %s %j', (expression, members) => {
    expect(denialOf(expression, members)).toBeUndefined()
  })

  it.each<[string, object]>([
    ['SET last_used_at = :now, abilities = :all', {}],
    ['SET #a.#b[0] = :all', { ExpressionAttributeNames: { '#a': 'abilities', '#b': 'last_used_at' } }],
    ['SET last_used_at = secret_hash', {}],
    ['ADD hits :one', {}],
    ['SET last_used_at = :now', { ConditionExpression: 'begins_with(secret_hash, :guess)' }],
  ])('denies an update that mentions another attribute: %s %j', (expression, members) => {
    expect(denialOf(expression, members)).toContain('dynamodb:Attributes')
  })

  it('denies other writes of the item, even in a transaction', () => {
    expect(denialBy([onlyUse], 'PutItem', put('USER#1'))).toContain('dynamodb:PutItem')
    const update = { ...keyIn('USER#1'), UpdateExpression: 'SET secret_hash = :mine' }
    expect(denialBy([onlyUse], 'TransactWriteItems', { TransactItems: [{ Update: update }] })).toContain(
      'secret_hash',
    )
  })

  it('notes a used permission with its attributes in the name', () => {
    const notes: AccessNote[] = []
    const evaluate = createEvaluator('F', [onlyUse], note => notes.push(note))
    const input = { ...keyIn('USER#1'), UpdateExpression: 'SET last_used_at = :now' }
    evaluate(dynamodbRequests({ operation: 'UpdateItem', input }, PARTITION_KEYS))
    expect(notes).toEqual([{ used: 'F: dynamodb:UpdateItem of USER (pk, sk, last_used_at)' }])
  })
})
