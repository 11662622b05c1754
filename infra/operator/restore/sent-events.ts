// Notes in a restored table what was sent since its moment: no event is sent twice.
import * as z from 'zod/mini'
import { timeOfEventId } from '../../../shared/events/event-id.ts'
import { StepMessage } from '../../../shared/events/message.ts'
import { announceDue } from '../../../shared/posts/commands/announce.ts'
import { listComingDue, type ScheduledRow } from '../../../shared/posts/store/scheduled.ts'
import type { Table } from '../../../shared/table/client.ts'
import { outboxPartitions, postKey, scheduledKey } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { endReplay } from '../../../shared/webhooks/commands/replay.ts'
import { findReplay } from '../../../shared/webhooks/store/replays.ts'
import { listFanOutEntries } from '../../../shared/webhooks/store/webhooks.ts'
import type { Context } from '../command.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import { CLOCKS_DIFFER_MS, pagesOf } from './partition.ts'

const MAX_DUE = 100_000

/** Its work is done in the table itself, and doing it again is harmless. */
function isRepeatable({ queue, body }: Item): boolean {
  return queue === 'jobs' && StepMessage.safeParse(body).success
}

/**
 * The message of a row that an old table has no more was sent. Without an old table, all messages count as
 * sent. Rows since the moment belong to the restored table.
 */
export async function removeSentRows(table: Table, olds: Table[], atMs: number) {
  const sent: Record<string, number> = {}
  for (const pk of outboxPartitions()) {
    for await (const page of pagesOf(table, pk)) {
      const rows = page.filter(row => timeOfEventId(row.sk) <= atMs + CLOCKS_DIFFER_MS && !isRepeatable(row))
      const left = await Promise.all(olds.map(old => old.findMany(rows.map(keyOf))))
      const kept = left.map(items => new Set(items.map(({ sk }) => sk)))
      const gone = rows.filter(({ sk }) => kept.length === 0 || !kept.every(sks => sks.has(sk)))
      await table.removeMany(gone.map(keyOf))
      for (const { queue } of gone) sent[String(queue)] = (sent[String(queue)] ?? 0) + 1
    }
  }
  return sent
}

function keyOf({ pk, sk }: Key): Key {
  return { pk, sk }
}

/**
 * Ends the replays of the moment that an old table has taken further: it has sent their rest. Without an old
 * table all of them end. Those that began or went on since belong to the restored table.
 */
export async function endReplays(
  table: Table,
  olds: Table[],
  times: { atMs: number; nowMs: number },
): Promise<number> {
  let ended = 0
  for (const { id } of await listFanOutEntries(table)) {
    const replay = await findReplay(table, id, times.nowMs)
    if (!replay || timeOfEventId(replay.id.replace('replay', 'evt')) > times.atMs + CLOCKS_DIFFER_MS) continue
    const byOlds = await Promise.all(olds.map(old => findReplay(old, id, times.nowMs)))
    const isAhead = byOlds.every(old => old?.id === replay.id && old.step <= replay.step)
    if (isAhead && olds.length > 0) continue
    await endReplay(table, replay)
    ended++
  }
  return ended
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
