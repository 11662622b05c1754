// Finalises deliveries: the outcome and the counters of the subscription, in one transaction.
import { setTimeout as pause } from 'node:timers/promises'
import { type Action, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { exists } from '../../table/conditions.ts'
import { startDeadline } from '../../table/deadline.ts'
import { COUNTER_SHARDS, deliveryKey, webhookCounterKey } from '../../table/design.ts'
import { type AttemptRef, attemptKey, type DeliveryOutcome } from '../delivery.ts'

/** The POST cannot be undone, so storing its outcome is retried for this long. */
const FINALISE_TIMEOUT_MS = 10_000

const LONGEST_PAUSE_MS = 500

export type Ended = {
  delivery: AttemptRef
  outcome: DeliveryOutcome
  nowMs: number
  /** It is ended before it was sent. */
  isUnsent?: boolean
  /** The answer, as the record of the delivery keeps it. */
  log?: { answer?: Uint8Array; has_answer?: true }
}

/** Finalises and counts a delivery once. For a deleted subscription it is not counted. */
export async function finaliseDelivery(table: Table, ended: Ended): Promise<void> {
  const end = finalState(ended)
  const reasons = await failedConditions(() => table.transact([...end, countDelivery(ended)]))
  if (reasons.includes('ended') || !reasons.includes('deleted')) return
  await failedConditions(() => table.transact(end))
}

function statusOf({ ok }: DeliveryOutcome) {
  return ok ? 'succeeded' : 'failed'
}

function finalState({ delivery, outcome, isUnsent, log = {} }: Ended): Action[] {
  const { later, webhook_id, event_id } = delivery
  const answer = Object.entries(log)
  const end = {
    onConditionFailed: 'ended',
    Update: {
      Key: attemptKey(delivery),
      UpdateExpression: `SET #status = :status, response_status = :response_status, #error = :error,
      error_detail = :detail, duration_ms = :duration_ms${answer.map(([name]) => `, ${name} = :${name}`).join('')}`,
      ConditionExpression: '#status = :before',
      ExpressionAttributeNames: { '#status': 'status', '#error': 'error' },
      ExpressionAttributeValues: {
        ':before': isUnsent ? 'queued' : 'sending',
        ':status': statusOf(outcome),
        ':response_status': outcome.responseStatus,
        ':error': outcome.error,
        ':detail': outcome.detail,
        ':duration_ms': outcome.durationMs,
        ...Object.fromEntries(answer.map(([name, value]) => [`:${name}`, value])),
      },
    },
  }
  if (!later) return [end]
  const latest = {
    Update: {
      Key: deliveryKey(webhook_id, event_id),
      UpdateExpression: 'SET latest = :status',
      // Unless a later one was asked for, which has its own status.
      ConditionExpression: 'attempts = :attempt',
      ExpressionAttributeValues: { ':status': statusOf(outcome), ':attempt': later.attempt },
    },
  }
  return [end, latest]
}

function countDelivery({ delivery, outcome, nowMs }: Ended): Action {
  const last = outcome.ok ? 'last_success_ms' : 'last_failure_ms'
  return {
    onConditionFailed: 'deleted',
    Update: {
      Key: webhookCounterKey(delivery.owner_id, delivery.webhook_id, anyShard()),
      UpdateExpression: `ADD #total :one, failed :failed SET ${last} = :now`,
      ...exists,
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':one': 1, ':failed': outcome.ok ? 0 : 1, ':now': nowMs },
    },
  }
}

/** Exactness does not depend on the shard: the count is in the transaction of the outcome. */
function anyShard(): number {
  return Math.floor(Math.random() * COUNTER_SHARDS)
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
