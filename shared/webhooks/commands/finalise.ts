// Finalises deliveries: the outcome and the counters of the subscription, in one transaction.
import { setTimeout as pause } from 'node:timers/promises'
import { type Action, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { combine } from '../../table/combine.ts'
import { exists } from '../../table/conditions.ts'
import { startDeadline, withDeadline } from '../../table/deadline.ts'
import { COUNTER_SHARDS, deliveryKey, OPEN_INDEX, webhookCounterKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import type { DeliveryOutcome, OpenDelivery } from '../delivery.ts'

/** The POST cannot be undone, so storing its outcome is retried for this long. */
const FINALISE_TIMEOUT_MS = 10_000

const LONGEST_PAUSE_MS = 500

/** Finalises and counts a delivery once. For a deleted subscription it is not counted. */
export async function finaliseDelivery(
  table: Table,
  delivery: OpenDelivery,
  outcome: DeliveryOutcome,
): Promise<void> {
  const end = finalState({ delivery, outcome })
  const count = countDeliveries([{ delivery, outcome }], anyShard())
  const reasons = await failedConditions(() => table.transact([end, ...count]))
  if (reasons.includes('ended') || !reasons.includes('deleted')) return
  await failedConditions(() => table.transact([end]))
}

type Ended = { delivery: OpenDelivery; outcome: DeliveryOutcome }

/** A transaction has at most 100 actions, and a delivery takes two. */
const MAX_TOGETHER = 50
/** The others wait for a transaction that does not succeed. */
const TOGETHER_TIMEOUT_MS = 1_000

/** Returns for each delivery whether it was finalised. */
const endersOf = perTable(table => {
  // Functions that count in different shards do not meet in a transaction.
  let shard = anyShard()
  const endTogether = async (ended: Ended[]): Promise<boolean[]> => {
    try {
      const actions = [...ended.map(finalState), ...countDeliveries(ended, shard)]
      await withDeadline(() => table.transact(actions), TOGETHER_TIMEOUT_MS)
      return ended.map(() => true)
    } catch {
      shard = anyShard()
      return ended.map(() => false)
    }
  }
  return combine(endTogether, MAX_TOGETHER)
})

/** Like `finaliseDelivery`, in one transaction with other deliveries that end in the same moments. */
export async function finaliseSoon(
  table: Table,
  delivery: OpenDelivery,
  outcome: DeliveryOutcome,
): Promise<void> {
  const isFinal = await endersOf(table)({ delivery, outcome })
  if (!isFinal) await finaliseDelivery(table, delivery, outcome)
}

function finalState({ delivery, outcome }: Ended): Action {
  return {
    onConditionFailed: 'ended',
    Update: {
      Key: deliveryKey(delivery.webhook_id, delivery.event_id),
      UpdateExpression: `SET #status = :status, response_status = :response_status, #error = :error,
      duration_ms = :duration_ms REMOVE ${OPEN_INDEX.pk}, ${OPEN_INDEX.sk}`,
      ConditionExpression: '#status = :sending',
      ExpressionAttributeNames: { '#status': 'status', '#error': 'error' },
      ExpressionAttributeValues: {
        ':sending': 'sending',
        ':status': outcome.ok ? 'succeeded' : 'failed',
        ':response_status': outcome.responseStatus,
        ':error': outcome.error,
        ':duration_ms': outcome.durationMs,
      },
    },
  }
}

/** One action for each subscription. */
function countDeliveries(ended: Ended[], shard: number): Action[] {
  return [...Map.groupBy(ended, ({ delivery }) => delivery.webhook_id).values()].flatMap(ofOne => {
    const [first] = ofOne
    if (!first) return []
    const { owner_id, webhook_id } = first.delivery
    const Update = {
      Key: webhookCounterKey(owner_id, webhook_id, shard),
      UpdateExpression: 'ADD #total :total, failed :failed',
      ...exists,
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: {
        ':total': ofOne.length,
        ':failed': ofOne.filter(({ outcome }) => !outcome.ok).length,
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
