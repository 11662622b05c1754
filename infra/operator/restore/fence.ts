// Makes a restored table safe to use: no id is given twice, and no event is sent twice. Compares it with the
// table that it was restored from. It may be killed, and repeated.
import * as z from 'zod/mini'
import { eventIdAt, timeOfEventId } from '../../../shared/events/event-id.ts'
import { commitPublicly } from '../../../shared/feed/commit.ts'
import { announceDue } from '../../../shared/posts/commands/announce.ts'
import { listComingDue, type ScheduledRow } from '../../../shared/posts/store/scheduled.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently } from '../../../shared/table/concurrency.ts'
import { ignoreConditionFailed } from '../../../shared/table/conditions.ts'
import {
  counterKey,
  deliveriesPartition,
  outboxPartitions,
  postKey,
  scheduledKey,
} from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { COUNTERS } from '../../../shared/table/kinds.ts'
import { lastId } from '../../../shared/table/next-id.ts'
import { listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'

/** Ids that the old table gives while this runs and until the switch. */
const MARGIN = 1_000
/** More than any service has given in the time that was lost, if the old table cannot be read. */
const BLIND_MARGIN = 1_000_000
/** A dead letter, the oldest message that may be sent, is kept for 14 days. */
const OLDEST_MESSAGE_MS = 15 * 86_400_000
/** Clocks of functions differ. No restored table is in use so soon after its moment. */
const CLOCKS_DIFFER_MS = 60_000
const AT_ONCE = 8
const PAGE = 500
const MAX_DUE = 100_000

export type Fenced = {
  /** The last id of each counter that the restored table will not give again. */
  counters: Record<string, number>
  /** Deliveries that were claimed since. */
  claims: number
  /** Messages that were sent since, by queue. */
  sent: Record<string, number>
  /** Scheduled posts that were announced since. */
  announced: number[]
}

/** `context` works on the restored table. `old` is missing if the old table cannot be read. */
export async function fence(context: Context, old: Table | undefined, atMs: number): Promise<Fenced> {
  const { table } = context.target
  const counters = await fenceCounters(table, old)
  const claims = old ? await copyClaims(table, old, atMs) : 0
  const sent = await removeSentRows(table, old, atMs)
  const announced = await noteAnnounced(context, old)
  // Builders pull everything again, and functions forget what they remember.
  await commitPublicly(table, [], { raised: 'names', notes: [{ kind: 'all' }] })
  return { counters, claims, sent, announced }
}

async function fenceCounters(table: Table, old: Table | undefined): Promise<Record<string, number>> {
  const fenced: Record<string, number> = {}
  for (const counter of COUNTERS) {
    const [restored, given] = await Promise.all([lastId(table, counter), old ? lastId(old, counter) : 0])
    const last = old ? Math.max(restored, given + MARGIN) : restored + BLIND_MARGIN
    const Update = {
      Key: counterKey(counter),
      UpdateExpression: 'SET #last = :last',
      ConditionExpression: 'attribute_not_exists(#last) OR #last < :last',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':last': last },
    }
    await table.write({ Update }).catch(ignoreConditionFailed)
    fenced[counter] = last
  }
  return fenced
}

const AnyItem = z.looseObject({ pk: z.string(), sk: z.string() })

/** Messages in the queues and dead letters then find their deliveries claimed. */
async function copyClaims(table: Table, old: Table, atMs: number): Promise<number> {
  let claims = 0
  await mapConcurrently(await listFanOutEntries(old), AT_ONCE, async ({ id }) => {
    const since = eventIdAt(atMs - OLDEST_MESSAGE_MS)
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
 * A row that the old table has no more had its message received by a worker. Without the old table, all
 * messages count as sent. Rows since the moment belong to the restored table.
 */
async function removeSentRows(table: Table, old: Table | undefined, atMs: number) {
  const sent: Record<string, number> = {}
  for (const pk of outboxPartitions()) {
    for await (const page of pagesOf(table, pk, '')) {
      const rows = page.filter(
        ({ sk, queue }) => timeOfEventId(sk) <= atMs + CLOCKS_DIFFER_MS && !REPEATABLE.has(queue),
      )
      const kept = new Set((old ? await old.findMany(rows.map(keyOf)) : []).map(({ sk }) => sk))
      const gone = rows.filter(({ sk }) => !kept.has(sk))
      await table.removeMany(gone.map(keyOf))
      for (const { queue } of gone) sent[String(queue)] = (sent[String(queue)] ?? 0) + 1
    }
  }
  return sent
}

function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

/** Notes the posts whose publication the old table has announced, without an event. */
async function noteAnnounced(context: Context, old: Table | undefined): Promise<number[]> {
  const { table } = context.target
  const due = await listComingDue(table, context.nowSeconds, MAX_DUE)
  const announced: number[] = []
  for (const row of due) {
    if (old && !(await isAnnounced(old, row))) continue
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
