// Copies to a restored table which deliveries and mails were claimed since its moment: none is sent twice.
import { eventIdAt } from '../../../shared/events/event-id.ts'
import { isInForce } from '../../../shared/mail/refusal.ts'
import { addRefusal, listRefusals } from '../../../shared/mail/refusals.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { ignoreConditionFailed } from '../../../shared/table/conditions.ts'
import { deliveriesPartition, kindOf } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import { scan } from '../doctor/scan.ts'
import { CLOCKS_DIFFER_MS, type OldTable, pagesOf } from './partition.ts'

/** A dead letter, the oldest message that may be sent, is kept for 14 days. */
const OLDEST_MESSAGE_MS = 15 * 86_400_000
const AT_ONCE = 8

/** Messages in the queues and dead letters then find their deliveries claimed. Returns their number. */
export async function copyClaims(table: Table, old: Table, atMs: number): Promise<number> {
  let claims = 0
  const since = eventIdAt(atMs - OLDEST_MESSAGE_MS)
  // Of the restored subscriptions: they may be deleted in the old table, and nothing is sent to others.
  await mapConcurrently(await listFanOutEntries(table), AT_ONCE, async ({ id }) => {
    for await (const page of pagesOf(old, deliveriesPartition(id), since)) {
      const claimed = page.filter(({ status }) => status !== 'queued')
      await mapConcurrently(claimed, AT_ONCE, async item => {
        if (await putDelivery(table, item)) claims++
      })
    }
  })
  return claims
}

/** Replaces only what has no outcome: the restored table may be in use already. */
function putDelivery(table: Table, Item: Item): Promise<boolean> {
  const Put = {
    Item,
    ConditionExpression:
      'attribute_not_exists(pk) OR (#status IN (:queued, :sending) AND #status <> :status)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':queued': 'queued', ':sending': 'sending', ':status': Item.status },
  }
  return isWritten(table.write({ Put }))
}

/**
 * Messages then find their mails claimed. Each mail has a partition of its own, so the old table is read as a
 * whole, as the doctor does. Returns their number.
 */
export async function copyMailClaims(
  table: Table,
  { client, tableName }: OldTable,
  atMs: number,
): Promise<number> {
  let mails = 0
  for await (const items of scan(client, tableName)) {
    const claimed = items.filter(
      ({ pk, changed_ms }) =>
        kindOf(pk) === ('MAIL' satisfies Kind) && Number(changed_ms) >= atMs - CLOCKS_DIFFER_MS,
    )
    await mapConcurrently(claimed, AT_ONCE, async item => {
      if (await putMail(table, item)) mails++
    })
  }
  return mails
}

/** Replaces only a state that is older and may change: the restored table may be in use already. */
function putMail(table: Table, Item: Item): Promise<boolean> {
  const Put = {
    Item,
    ConditionExpression:
      'attribute_not_exists(pk) OR (#status IN (:sending, :released) AND changed_ms < :changed)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':sending': 'sending',
      ':released': 'released',
      ':changed': Item.changed_ms,
    },
  }
  return isWritten(table.write({ Put }))
}

/** Addresses that refused mail since get none from the restored table either. Returns their number. */
export async function copyRefusals(table: Table, old: Table): Promise<number> {
  let refusals = 0
  await mapConcurrently((await listRefusals(old)).filter(isInForce), AT_ONCE, async refusal => {
    if (await addRefusal(table, refusal)) refusals++
  })
  return refusals
}

async function isWritten(writing: Promise<void>): Promise<boolean> {
  return await writing.then(
    () => true,
    error => {
      ignoreConditionFailed(error)
      return false
    },
  )
}
