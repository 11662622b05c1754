// Conditions that many writes have, and what their callers do when one does not hold.
import { ConditionFailed } from './action.ts'

/** The item does not exist yet. */
export const isNew = { ConditionExpression: 'attribute_not_exists(pk)' }
export const exists = { ConditionExpression: 'attribute_exists(pk)' }

export function hasRevision(revision: number) {
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
