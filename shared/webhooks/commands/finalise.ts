// Finalises deliveries: the outcome and the counters of the subscription, in one transaction.
import { setTimeout as pause } from 'node:timers/promises'
import { type Action, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import { exists } from '../../table/conditions.ts'
import { startDeadline, withDeadline } from '../../table/deadline.ts'
import { COUNTER_SHARDS, deliveryKey, webhookCounterKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
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
  const count = countDeliveries([ended], anyShard())
  const reasons = await failedConditions(() => table.transact([...end, ...count]))
  if (reasons.includes('ended') || !reasons.includes('deleted')) return
  await failedConditions(() => table.transact(end))
}

/** A transaction has at most 100 actions. A first attempt takes two of them, a later one three. */
const MAX_TOGETHER = { first: 50, later: 33 }
/** The others wait for a transaction that does not succeed. */
const TOGETHER_TIMEOUT_MS = 1_000

/** Returns for each delivery whether it was finalised. */
const endersOf = perTable(table => {
  // Functions that count in different shards do not meet in a transaction.
  let shard = anyShard()
  const endTogether = async (ended: Ended[]): Promise<boolean[]> => {
    try {
      const actions = [...ended.flatMap(finalState), ...countDeliveries(ended, shard)]
      await withDeadline(() => table.transact(actions), TOGETHER_TIMEOUT_MS)
      return ended.map(() => true)
    } catch {
      shard = anyShard()
      return ended.map(() => false)
    }
  }
  return { first: combine(endTogether, MAX_TOGETHER.first), later: combine(endTogether, MAX_TOGETHER.later) }
})

/** Like `finaliseDelivery`, in one transaction with other deliveries that end in the same moments. */
export async function finaliseSoon(table: Table, ended: Ended): Promise<void> {
  const isFinal = await endersOf(table)[ended.delivery.later ? 'later' : 'first'](ended)
  if (!isFinal) await finaliseDelivery(table, ended)
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

/** One action for each subscription. */
function countDeliveries(ended: Ended[], shard: number): Action[] {
  return [...Map.groupBy(ended, ({ delivery }) => delivery.webhook_id).values()].flatMap(ofOne => {
    const [first] = ofOne
    if (!first) return []
    const { owner_id, webhook_id } = first.delivery
    const failed = ofOne.filter(({ outcome }) => !outcome.ok)
    const lastMs = {
      ...(failed.length < ofOne.length && { last_success_ms: first.nowMs }),
      ...(failed.length > 0 && { last_failure_ms: first.nowMs }),
    }
    const sets = Object.keys(lastMs).map(name => `${name} = :${name}`)
    const Update = {
      Key: webhookCounterKey(owner_id, webhook_id, shard),
      UpdateExpression: `ADD #total :total, failed :failed SET ${sets.join(', ')}`,
      ...exists,
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: {
        ':total': ofOne.length,
        ':failed': failed.length,
        ...Object.fromEntries(Object.entries(lastMs).map(([name, ms]) => [`:${name}`, ms])),
      },
    }
    return [{ onConditionFailed: 'deleted', Update }]
  })
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
