// A write to the table as data: its conditions and their meanings, and changes of single members.
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { AwsError } from '../aws/client.ts'
import type { Item, Key } from './design/parts.ts'
import { cancellationsIn } from './retrying.ts'

type Expression = {
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
}

/** The meaning of a failed condition: CONFLICT, or a fault of the caller such as a taken slug. */
export type ConditionOptions = { onConditionFailed?: string }

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

/** The item does not exist yet. */
export const isNew = { ConditionExpression: 'attribute_not_exists(pk)' }
export const exists = { ConditionExpression: 'attribute_exists(pk)' }

export function hasRevision(revision: unknown) {
  return {
    ConditionExpression: 'revision = :revision',
    ExpressionAttributeValues: { ':revision': revision },
  }
}

/** The record is as it was read: at the same revision, or still missing. */
export function isAsRead(record: { revision: number } | null | undefined) {
  return record ? hasRevision(record.revision) : isNew
}

/** For `catch`, where a failed condition means that there is nothing to do. */
export function ignoreConditionFailed(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error
}

/** Whether a write failed by the condition with this meaning, alone or with others. */
export function failedAs(error: unknown, meaning: string): boolean {
  return error instanceof ConditionFailed && error.reasons.includes(meaning)
}

type Members = Record<string, unknown>

/** Sets these members, and removes those that are undefined. Creates the item if there is none. */
export function setMembers(members: Members, condition: Expression = {}) {
  const numbered = Object.entries(members).map(([name, value], n) => ({ name, value, n }))
  const set = numbered.filter(({ value }) => value !== undefined)
  const removed = numbered.filter(({ value }) => value === undefined)
  const parts = [
    ...(set.length > 0 ? [`SET ${set.map(({ n }) => `#n${n} = :v${n}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(({ n }) => `#n${n}`).join(', ')}`] : []),
  ]
  return {
    ...condition,
    UpdateExpression: parts.join(' '),
    ExpressionAttributeNames: {
      ...condition.ExpressionAttributeNames,
      ...Object.fromEntries(numbered.map(({ name, n }) => [`#n${n}`, name])),
    },
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...Object.fromEntries(set.map(({ value, n }) => [`:v${n}`, value])),
    },
  }
}

/**
 * Writes only what differs, so that a function needs permission for that alone. The condition is the revision
 * that was read, unless there is another one.
 */
export function changeOf(
  before: Members,
  after: Members,
  condition: Expression = hasRevision(before.revision),
) {
  const names = Object.keys({ ...before, ...after }).filter(name => !isSame(before[name], after[name]))
  return setMembers(Object.fromEntries(names.map(name => [name, after[name]])), condition)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
