// A table, calls to it, and what a policy has against them.
import { dynamodbRequests } from '../../infra/local/access/calls.ts'
import { judgeOf } from '../../infra/local/access/judge.ts'
import type { Statement } from '../../infra/local/access/policy.ts'

export const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/T'
export const partitionKeys = new Map([
  [TABLE, 'pk'],
  [`${TABLE}/index/open`, 'open_pk'],
])

export const allow = (
  Action: string[],
  Resource: string,
  Condition: Statement['Condition'] = {},
): Statement => ({
  Effect: 'Allow',
  Action,
  Resource: [Resource],
  Condition,
})

export const key = (pk: string) => ({ pk: { S: pk }, sk: { S: 'x' } })
export const one = (pk: string) => ({ TableName: 'T', Key: key(pk) })
export const put = (pk: string) => ({ TableName: 'T', Item: key(pk) })

/** Undefined for a call that the statements let through. */
export const problemWith = (statements: Statement[], operation: string, input: unknown) =>
  judgeOf('F', statements, () => {})(dynamodbRequests({ operation, input }, partitionKeys))
