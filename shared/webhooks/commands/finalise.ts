// Stores the outcome of an attempt and counts it in the record of its subscription, in one transaction.
import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptRef } from '../../events/message.ts'
import { type Action, ConditionFailed, exists, setMembers } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { deliveryKey, webhookKey } from '../../table/design.ts'
import { startDeadline } from '../../table/retrying.ts'
import type { DeliveryOutcome } from '../delivery.ts'

/** The POST cannot be undone, so storing its outcome is retried for this long. */
const FINALISE_TIMEOUT_MS = 10_000
const LONGEST_PAUSE_MS = 500

type EndedAttempt = { ref: AttemptRef; outcome: DeliveryOutcome; nowMs: number }

/**
 * Ends a claimed attempt, or a queued one that is not sent. Does nothing for one that has ended. A deleted
 * subscription does not count it.
 */
export async function finalise(
  table: Table,
  ended: EndedAttempt,
  before: 'sending' | 'queued' = 'sending',
): Promise<void> {
  const end = endOf(ended, before)
  const reasons = await failedConditions(() => table.transact([...end, countDelivery(ended)]))
  if (reasons.includes('ended') || !reasons.includes('deleted')) return
  await failedConditions(() => table.transact(end))
}

/** The attempt is as it was claimed, or as it was asked for. */
export function hasStatus(status: 'sending' | 'queued') {
  return {
    ConditionExpression: '#status = :before',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':before': status },
  }
}

function endOf({ ref, outcome }: EndedAttempt, before: 'sending' | 'queued'): Action[] {
  const Update = { Key: deliveryKey(ref.webhook_id, ref.sk), ...setMembers(outcome, hasStatus(before)) }
  const end = { onConditionFailed: 'ended', Update }
  if (ref.attempt === 1) return [end]
  const latest = {
    Update: {
      Key: deliveryKey(ref.webhook_id, ref.event_id),
      UpdateExpression: 'SET latest = :status',
      // Unless a later one was asked for, which has its own status.
      ConditionExpression: 'attempts = :attempt',
      ExpressionAttributeValues: { ':status': outcome.status, ':attempt': ref.attempt },
    },
  }
  return [end, latest]
}

function countDelivery({ ref, outcome, nowMs }: EndedAttempt): Action {
  const values = { ':one': 1, ':now': nowMs }
  const update =
    outcome.status === 'succeeded'
      ? {
          UpdateExpression: 'ADD #total :one SET last_success_ms = :now, failing = :none',
          ExpressionAttributeValues: { ...values, ':none': 0 },
        }
      : {
          UpdateExpression: 'ADD #total :one, failed :one, failing :one SET last_failure_ms = :now',
          ExpressionAttributeValues: values,
        }
  return {
    onConditionFailed: 'deleted',
    Update: {
      Key: webhookKey(ref.owner_id, ref.webhook_id),
      ...update,
      ...exists,
      ExpressionAttributeNames: { '#total': 'total' },
    },
  }
}

/** Returns the meanings of the conditions that failed, none after a write. Retries other failures. */
async function failedConditions(write: () => Promise<void>): Promise<string[]> {
  const hasTime = startDeadline(FINALISE_TIMEOUT_MS)
  for (;;) {
    try {
      await write()
      return []
    } catch (error) {
      if (error instanceof ConditionFailed) return error.reasons
      if (!hasTime()) throw error
      await pause(Math.random() * LONGEST_PAUSE_MS)
    }
  }
}
