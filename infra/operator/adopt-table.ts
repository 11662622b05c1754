// Makes a restored table safe to use: no id is given twice, no event and no mail is sent twice. Each step may
// be killed at any line, and repeated: it leaves what an earlier run, or a service on the table, has written.
import * as z from 'zod/mini'
import { eventIdAt, StepMessage, timeOfEventId } from '../../shared/events/message.ts'
import { readRow } from '../../shared/events/outbox.ts'
import { commitPublicly } from '../../shared/feed/commit.ts'
import { isInForce } from '../../shared/mail/refusal.ts'
import { addRefusal, listRefusals } from '../../shared/mail/refusals.ts'
import { announceDue } from '../../shared/posts/commands/announce.ts'
import { listComingDue, type ScheduledRow } from '../../shared/posts/store/scheduled.ts'
import { ignoreConditionFailed, isNew, type WriteAction } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import {
  burstKey,
  counterKey,
  type Item,
  kindOf,
  outboxPartitions,
  postKey,
  replayKey,
  scheduledKey,
} from '../../shared/table/design.ts'
import { COUNTERS, type Kind } from '../../shared/table/kinds.ts'
import { lastId } from '../../shared/table/next-id.ts'
import { findBurst } from '../../shared/webhooks/commands/collect.ts'
import { endRunning, findReplay } from '../../shared/webhooks/commands/redeliver.ts'
import { listFanOutEntries } from '../../shared/webhooks/store/webhooks.ts'
import { type Context, unitOfWorkOf } from './command.ts'
import { scan } from './scan.ts'
import type { Target } from './target.ts'

export type Adoption = {
  /** Works on the restored table. */
  context: Context
  /** The table that gave ids and sent messages since the moment. Undefined if it is lost. */
  old: Pick<Target, 'table' | 'client' | 'tableName'> | undefined
  atMs: number
  /** The stage works on the restored table already, and announces its posts. */
  isInUse: boolean
}

/** Returns what was set aside. */
export async function adoptTable(adoption: Adoption) {
  const report = {
    /** The last id of each counter that the table will not give again. */
    counters: await raiseCounters(adoption),
    /** Deliveries and mails that were claimed since. */
    claims: await copyClaims(adoption),
    /** Addresses that refused mail since. */
    refusals: await copyRefusals(adoption),
    /** Messages that were sent since. */
    sent: await removeSentRows(adoption),
    /** Replays, whose rest the old table may have sent, and bursts. */
    ...(await endUnderWay(adoption)),
    /** Posts that were announced since. */
    announced: await noteAnnounced(adoption),
  }
  // Functions forget what they remember, and copies of the content are pulled again.
  await commitPublicly(adoption.context.target.table, [], { raised: 'names', notes: [{ kind: 'all' }] })
  return report
}

/** More ids than the old table gives until the switch; and more than were given since, if it is lost. */
export const MARGIN = 100_000
const BLIND_MARGIN = 1_000_000

/** The counter keeps the table for which it was raised, so that it is raised once. */
async function raiseCounters({ context, old }: Adoption): Promise<Record<string, number>> {
  const { table, tableName } = context.target
  for (const counter of COUNTERS) {
    const own = await lastId(table, counter)
    const given = old ? await lastId(old.table, counter) : own
    const last = Math.max(own, given) + (old ? MARGIN : BLIND_MARGIN)
    const Update = {
      Key: counterKey(counter),
      UpdateExpression: 'SET #last = :last, adopted_as = :name',
      ConditionExpression: '(attribute_not_exists(#last) OR #last < :last) AND NOT adopted_as = :name',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':last': last, ':name': tableName },
    }
    await table.write({ Update }).catch(ignoreConditionFailed)
  }
  const raised = COUNTERS.map(async counter => [counter, await lastId(table, counter)] as const)
  return Object.fromEntries(await Promise.all(raised))
}

/** A dead letter, the oldest message that may be sent, is kept for 14 days. */
const OLDEST_MESSAGE_MS = 15 * 86_400_000
/** Clocks of functions differ. No restored table is in use so soon after its moment. */
const CLOCKS_DIFFER_MS = 60_000
const AT_ONCE = 8

/** Messages in queues and dead letters then find their deliveries and mails claimed, or collected. */
async function copyClaims({ context: { target }, old, atMs }: Adoption): Promise<number> {
  if (!old) return 0
  let claims = 0
  for await (const items of scan(old.client, old.tableName)) {
    await mapConcurrently(items.flatMap(copyOf(atMs)), AT_ONCE, async action => {
      const isCopied = await target.table.write(action).then(() => true, ignoreConditionFailed)
      if (isCopied) claims++
    })
  }
  return claims
}

/** Replaces only what has no outcome: the restored table may be in use already. */
function copyOf(atMs: number) {
  const oldestEvent = eventIdAt(atMs - OLDEST_MESSAGE_MS)
  return (Item: Item): WriteAction[] => {
    const kind = kindOf(Item.pk)
    const isClaimed =
      kind === ('DELIVERIES' satisfies Kind) && Item.sk >= oldestEvent && Item.status !== 'queued'
    const isCollected = kind === ('BURST' satisfies Kind) && Item.sk >= oldestEvent
    if (isCollected) return [{ Put: { Item, ...isNew } }]
    const isMail = kind === ('MAIL' satisfies Kind) && Number(Item.changed_ms) >= atMs - CLOCKS_DIFFER_MS
    if (!isClaimed && !isMail) return []
    const isOlder = isMail ? 'changed_ms < :copied' : '#status <> :copied'
    const Put = {
      Item,
      ConditionExpression: `attribute_not_exists(pk) OR (#status IN (:waiting, :sending) AND ${isOlder})`,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':waiting': isMail ? 'released' : 'queued',
        ':sending': 'sending',
        ':copied': isMail ? Item.changed_ms : Item.status,
      },
    }
    return [{ Put }]
  }
}

async function copyRefusals({ context: { target }, old }: Adoption): Promise<number> {
  let refusals = 0
  for (const refusal of old ? await listRefusals(old.table) : []) {
    if (isInForce(refusal) && (await addRefusal(target.table, refusal))) refusals++
  }
  return refusals
}

const Row = z.looseObject({ pk: z.string(), sk: z.string() })

/** The work of a step is done in the table itself, and doing it again is harmless. */
function isRepeatable(item: Item, nowMs: number): boolean {
  const row = readRow(item, nowMs)
  return 'message' in row && StepMessage.safeParse(row.message.body).success
}

/** The message of a row that the old table has no more was sent; without an old table, all were. */
async function removeSentRows({ context: { target, nowMs }, old, atMs }: Adoption): Promise<number> {
  let sent = 0
  for (const pk of outboxPartitions()) {
    const all = await target.table.query({ pk }, Row)
    // Rows since the moment belong to the restored table.
    const rows = all
      .filter(row => timeOfEventId(row.sk) <= atMs + CLOCKS_DIFFER_MS && !isRepeatable(row, nowMs))
      .map(({ pk, sk }) => ({ pk, sk }))
    const kept = new Set(((await old?.table.findMany(rows)) ?? []).map(({ sk }) => sk))
    const gone = rows.filter(({ sk }) => !kept.has(sk))
    await target.table.removeMany(gone)
    sent += gone.length
  }
  return sent
}

/** Ends each replay of the moment, and each burst that was collected by then and has been sent since. */
async function endUnderWay({ context: { target, nowMs }, old, atMs }: Adoption) {
  const { table } = target
  const ended = { replays: 0, bursts: 0 }
  // What began since belongs to the restored table.
  const isOfMoment = (beganMs: number) => beganMs <= atMs + CLOCKS_DIFFER_MS
  for (const { id } of await listFanOutEntries(table)) {
    const replay = await findReplay(table, id, nowMs)
    if (replay && isOfMoment(timeOfEventId(replay.id.replace('replay', 'evt')))) {
      await endRunning(table, replayKey(id), replay)
      ended.replays++
    }
    const burst = await findBurst(table, id)
    const kept = old && (await findBurst(old.table, id))
    if (burst && isOfMoment(timeOfEventId(burst.id)) && kept?.id !== burst.id) {
      await endRunning(table, burstKey(id), burst)
      ended.bursts++
    }
  }
  return ended
}

const MAX_DUE = 100_000

/** Notes the posts whose publication was announced since, without an event. */
async function noteAnnounced({ context, old, isInUse }: Adoption): Promise<number[]> {
  if (isInUse) return []
  const announced: number[] = []
  for (const row of await listComingDue(context.target.table, context.nowSeconds, MAX_DUE)) {
    if (old && !(await isAnnounced(old.table, row))) continue
    const due = { kind: 'due', post_id: row.id, posted_at: row.posted_at } as const
    await announceDue(unitOfWorkOf(context), due, true)
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
