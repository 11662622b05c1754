// A write to the table as data, with the meaning of its failed condition.
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { AwsError } from '../aws/client.ts'
import type { Item, Key } from './key.ts'
import { cancellationsIn } from './retrying.ts'

type Expression = {
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
}

/** The meaning of a failed condition: CONFLICT, or a fault of the caller such as a taken slug. */
type ConditionOptions = { onConditionFailed?: string }

export type Update = Expression & { Key: Key; UpdateExpression: string }
export type WriteAction =
  | (ConditionOptions & { Put: Expression & { Item: Item } })
  | (ConditionOptions & { Update: Update })
  | (ConditionOptions & { Delete: Expression & { Key: Key } })
export type Action =
  | WriteAction
  | (ConditionOptions & { ConditionCheck: Expression & { Key: Key; ConditionExpression: string } })

/** Thrown when conditions of a write fail. `reasons` are their meanings, in the order of the actions. */
export class ConditionFailed extends Error {
  readonly reasons: string[]
  /** The item that failed the condition of a single write, if it was requested. */
  readonly item: Record<string, unknown> | undefined

  constructor(reasons: string[], item?: Record<string, unknown>) {
    super(`A condition of the write failed: ${reasons.join(', ')}`)
    this.name = 'ConditionFailed'
    this.reasons = reasons
    this.item = item
  }
}

/** A concurrent write came first: read again and retry. */
export const CONFLICT = 'conflict'

/** Turns a failed condition into ConditionFailed and returns every other error unchanged. */
export function conditionFailureOf(error: unknown, actions: ConditionOptions[]): unknown {
  if (error instanceof AwsError && error.name === 'ConditionalCheckFailedException') {
    const { Item } = error.failure
    return new ConditionFailed([actions[0]?.onConditionFailed ?? 'condition'], Item && unmarshall(Item))
  }
  const reasons = (cancellationsIn(error) ?? []).flatMap((code, n) =>
    code === 'ConditionalCheckFailed' ? [actions[n]?.onConditionFailed ?? 'condition'] : [],
  )
  return reasons.length > 0 ? new ConditionFailed(reasons) : error
}

/** The action as DynamoDB takes it in a transaction. */
export function inTable(TableName: string, action: Action): TransactWriteItem {
  if ('Put' in action) return { Put: putIn(TableName, action.Put) }
  if ('Update' in action) return { Update: keyedIn(TableName, action.Update) }
  if ('Delete' in action) return { Delete: keyedIn(TableName, action.Delete) }
  return { ConditionCheck: keyedIn(TableName, action.ConditionCheck) }
}

export function putIn(TableName: string, { Item, ...put }: Expression & { Item: Item }) {
  return { TableName, Item: toAttributes(Item), ...withAttributes(put) }
}

export function keyedIn<Write extends Expression & { Key: Key }>(TableName: string, write: Write) {
  return { TableName, ...withAttributes(write), Key: toAttributes(write.Key) }
}

function withAttributes<Write extends Expression>({ ExpressionAttributeValues: values, ...write }: Write) {
  return { ...write, ExpressionAttributeValues: values && toAttributes(values) }
}

/** Leaves out members that are undefined. */
export function toAttributes(item: Record<string, unknown>): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true })
}
