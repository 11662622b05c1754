// A table, calls to it, and their evaluation against policies.
import { dynamodbRequests } from '../../infra/local/access/calls.ts'
import { createEvaluator } from '../../infra/local/access/evaluate.ts'
import type { Statement } from '../../infra/local/access/policy.ts'

export const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/T'
export const PARTITION_KEYS = new Map([
  [TABLE, 'pk'],
  [`${TABLE}/index/open`, 'open_pk'],
])

export function allow(Action: string[], Resource: string, Condition: Statement['Condition'] = {}): Statement {
  return {
    Effect: 'Allow',
    Action,
    Resource: [Resource],
    Condition,
  }
}

export function key(pk: string) {
  return { pk: { S: pk }, sk: { S: 'x' } }
}

export function keyIn(pk: string) {
  return { TableName: 'T', Key: key(pk) }
}

export function put(pk: string) {
  return { TableName: 'T', Item: key(pk) }
}

/** The message of the denial; undefined if the statements allow the call. */
export function denialBy(statements: Statement[], operation: string, input: unknown) {
  return createEvaluator('F', statements, () => {})(dynamodbRequests({ operation, input }, PARTITION_KEYS))
}
