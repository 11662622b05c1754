// One write to the table as data, with a word for what it means when its condition does not hold.
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { Item, Key } from './key.ts'

type Expression = {
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
}

/** `refused` is what a failed condition says: a reason to read again, or the caller's fault. */
type Meaning = { onConditionFailed?: string }

export type Update = Expression & { Key: Key; UpdateExpression: string }
export type Simple =
  | (Meaning & { Put: Expression & { Item: Item } })
  | (Meaning & { Update: Update })
  | (Meaning & { Delete: Expression & { Key: Key } })
export type Action =
  | Simple
  | (Meaning & { ConditionCheck: Expression & { Key: Key; ConditionExpression: string } })

/** Thrown when conditions of a write did not hold: `reasons` in the order of the actions. */
export class ConditionFailed extends Error {
  readonly reasons: string[]
  /** The item that stood in the way of a single write, where it was asked for. */
  readonly found: Record<string, unknown> | undefined

  constructor(reasons: string[], found?: Record<string, unknown>) {
    super(`The table refused the write: ${reasons.join(', ')}`)
    this.name = 'Refused'
    this.reasons = reasons
    this.found = found
  }
}

/** Reasons that mean: somebody else was faster, read again and decide anew. */
export const CONFLICT = 'stale'

/** Turns a failed condition into Refused; every other error is handed through. */
export function conditionFailureOf(error: unknown, actions: Meaning[]): unknown {
  if (error instanceof ConditionalCheckFailedException) {
    return new ConditionFailed(
      [actions[0]?.onConditionFailed ?? 'condition'],
      error.Item && unmarshall(error.Item),
    )
  }
  if (!(error instanceof TransactionCanceledException)) return error
  const reasons = (error.CancellationReasons ?? []).flatMap(({ Code }, n) =>
    Code === 'ConditionalCheckFailed' ? [actions[n]?.onConditionFailed ?? 'condition'] : [],
  )
  return reasons.length > 0 ? new ConditionFailed(reasons) : error
}
