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

/** Ends a claimed attempt, or a queued one that is not sent. Does nothing for one that has ended. */
export async function finalise(
  table: Table,
  ended: EndedAttempt,
  before: 'sending' | 'queued' = 'sending',
): Promise<void> {
  const end = endOf(ended, before)
  // A deleted subscription counts nothing, but another copy of the message must see the end.
  if (!(await isWritten(table, [...end, countDelivery(ended)]))) await isWritten(table, end)
}

/** Returns false if a condition failed. Retries other failures. */
async function isWritten(table: Table, actions: Action[]): Promise<boolean> {
  const hasTime = startDeadline(FINALISE_TIMEOUT_MS)
  for (;;) {
    try {
      await table.transact(actions)
      return true
    } catch (error) {
      if (error instanceof ConditionFailed) return false
      if (!hasTime()) throw error
      await pause(Math.random() * LONGEST_PAUSE_MS)
    }
  }
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
  const Key = deliveryKey(ref.webhook_id, ref.sk)
  const end = { Update: { Key, ...setMembers(outcome, hasStatus(before)) } }
  if (ref.attempt === 1) return [end]
  // Unless a later one was asked for, which has its own status.
  const isLatest = {
    ConditionExpression: 'attempts = :attempt',
    ExpressionAttributeValues: { ':attempt': ref.attempt },
  }
  const first = deliveryKey(ref.webhook_id, ref.event_id)
  return [end, { Update: { Key: first, ...setMembers({ latest: outcome.status }, isLatest) } }]
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
  const Key = webhookKey(ref.owner_id, ref.webhook_id)
  return { Update: { Key, ...update, ...exists, ExpressionAttributeNames: { '#total': 'total' } } }
}
