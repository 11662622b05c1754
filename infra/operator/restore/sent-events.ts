// Notes in a restored table what was sent since its moment: no event is sent twice.
import * as z from 'zod/mini'
import { eventIdAt, timeOfEventId } from '../../../shared/events/event-id.ts'
import { announceDue } from '../../../shared/posts/commands/announce.ts'
import { listComingDue, type ScheduledRow } from '../../../shared/posts/store/scheduled.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { ignoreConditionFailed } from '../../../shared/table/conditions.ts'
import { deliveriesPartition, outboxPartitions, postKey, scheduledKey } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'

/** A dead letter, the oldest message that may be sent, is kept for 14 days. */
const OLDEST_MESSAGE_MS = 15 * 86_400_000
/** Clocks of functions differ. No restored table is in use so soon after its moment. */
const CLOCKS_DIFFER_MS = 60_000
const AT_ONCE = 8
const PAGE = 500
const MAX_DUE = 100_000

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

/** Messages in the queues and dead letters then find their deliveries claimed. Returns their number. */
export async function copyClaims(table: Table, old: Table, atMs: number): Promise<number> {
  let claims = 0
  const since = eventIdAt(atMs - OLDEST_MESSAGE_MS)
  // Of the restored subscriptions: they may be deleted in the old table, and nothing is sent to others.
  await mapConcurrently(await listFanOutEntries(table), AT_ONCE, async ({ id }) => {
    for await (const page of pagesOf(old, deliveriesPartition(id), since)) {
      const claimed = page.filter(({ status }) => status !== 'queued')
      await mapConcurrently(claimed, AT_ONCE, async item => {
        if (await putClaim(table, item)) claims++
      })
    }
  })
  return claims
}

/** Replaces only what has no outcome: the restored table may be in use already. */
async function putClaim(table: Table, Item: Item): Promise<boolean> {
  const Put = {
    Item,
    ConditionExpression:
      'attribute_not_exists(pk) OR (#status IN (:queued, :sending) AND #status <> :status)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':queued': 'queued', ':sending': 'sending', ':status': Item.status },
  }
  return await table.write({ Put }).then(
    () => true,
    error => {
      ignoreConditionFailed(error)
      return false
    },
  )
}

/** Their work is done in the table itself, and doing it again is harmless. */
const REPEATABLE = new Set<unknown>(['tidy', 'index'])

/**
 * A row that an old table has no more had its message received by a worker. Without an old table, all
 * messages count as sent. Rows since the moment belong to the restored table.
 */
export async function removeSentRows(table: Table, olds: Table[], atMs: number) {
  const sent: Record<string, number> = {}
  for (const pk of outboxPartitions()) {
    for await (const page of pagesOf(table, pk, '')) {
      const rows = page.filter(
        ({ sk, queue }) => timeOfEventId(sk) <= atMs + CLOCKS_DIFFER_MS && !REPEATABLE.has(queue),
      )
      const left = await Promise.all(olds.map(old => old.findMany(rows.map(keyOf))))
      const kept = left.map(items => new Set(items.map(({ sk }) => sk)))
      const received = rows.filter(({ sk }) => kept.length === 0 || !kept.every(sks => sks.has(sk)))
      await table.removeMany(received.map(keyOf))
      for (const { queue } of received) sent[String(queue)] = (sent[String(queue)] ?? 0) + 1
    }
  }
  return sent
}

function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

/** Notes the posts whose publication an old table has announced, without an event. */
export async function noteAnnounced(context: Context, olds: Table[]): Promise<number[]> {
  const { table } = context.target
  const due = await listComingDue(table, context.nowSeconds, MAX_DUE)
  const announced: number[] = []
  for (const row of due) {
    const byOlds = await Promise.all(olds.map(old => isAnnounced(old, row)))
    if (byOlds.length > 0 && !byOlds.includes(true)) continue
    await announceDue(unitOfWorkOf(context), { kind: 'due', post_id: row.id, posted_at: row.posted_at }, true)
    announced.push(row.id)
  }
  return announced
}

const Announcement = z.object({ announced: z.boolean() })

/** A post that was deleted since may have been announced before, so it counts as announced. */
async function isAnnounced(old: Table, { id, posted_at }: ScheduledRow): Promise<boolean> {
  if ((await old.findMany([scheduledKey(posted_at, id)])).length > 0) return false
  return (await old.find(postKey(id), Announcement))?.announced ?? true
}

async function* pagesOf(table: Table, pk: string, since: string): AsyncGenerator<Item[], void, void> {
  for (let from = since; ; ) {
    const page = await table.query({ pk, limit: PAGE, ...(from && { from }) }, AnyItem)
    yield page
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    from = `${last.sk}~`
  }
}
