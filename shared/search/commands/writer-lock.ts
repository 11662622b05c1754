// The index has one writer at a time: a run of the index worker, or a reindex. A claim in the table says who.
// Two at once would refuse each other's transactions, since nearly all posts share some terms.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { withDeadline } from '../../table/deadline.ts'
import { rebuildingKey } from '../../table/design.ts'
import { isBusy } from '../../table/retrying.ts'
import { findClaim } from '../store/writer-lock.ts'

const LOOK_AGAIN_MS = 100
/** Well within the time that a run has: a reindex takes longer. */
const LONGEST_WAIT_MS = 40_000
/** A run that was killed holds up the next one for at most this long. */
const CLAIMED_MS = 10_000
const PROLONGED_AFTER_MS = 2_000
/** What is left of the claim then, less the last call of a write. */
const WRITE_MS = 5_000

/** Runs one write under the claim. Throws when the claim was lost. */
export type Hold = <T>(write: () => Promise<T>) => Promise<T>

type Claiming = { holder: string; nowMs: number; untilMs: number; isRun: boolean }

/** Runs `work` while nobody else writes the index, unless it stands still for longer than a claim lasts. */
export async function asWriter<T>(table: Table, nowMs: number, work: (hold: Hold) => Promise<T>): Promise<T> {
  const holder = randomUUID()
  const startedMs = performance.now()
  const claiming = (): Claiming => {
    const atNowMs = Math.floor(nowMs + performance.now() - startedMs)
    return { holder, nowMs: atNowMs, untilMs: atNowMs + CLAIMED_MS, isRun: true }
  }
  while (!(await claimWhenFree(table, claiming()))) {
    if (performance.now() - startedMs > LONGEST_WAIT_MS) {
      throw new Error('Another writer holds the search index, perhaps a reindex. This run comes again later.')
    }
    await pause(LOOK_AGAIN_MS * (0.5 + Math.random()))
  }
  let prolongedMs = performance.now()
  const hold: Hold = async write => {
    const atMs = performance.now()
    if (atMs - prolongedMs > PROLONGED_AFTER_MS) {
      if (!(await prolongWriting(table, claiming()))) {
        throw new Error('This run lost its claim on the search index, since it stood still for too long.')
      }
      prolongedMs = atMs
    }
    return await withDeadline(write, WRITE_MS)
  }
  try {
    return await work(hold)
  } finally {
    await endWriting(table, holder).catch(ignoreBusy)
  }
}

/** The claim ends by itself. */
function ignoreBusy(error: unknown): void {
  if (!isBusy(error)) throw error
}

/** Reads before it claims: a read costs less than a refused write. */
async function claimWhenFree(table: Table, claiming: Claiming): Promise<boolean> {
  const claim = await findClaim(table)
  return (!claim || claim.until_ms <= claiming.nowMs) && (await claimWriting(table, claiming))
}

/** Whether it is the holder's, who had none before. */
export function claimWriting(table: Table, claiming: Claiming): Promise<boolean> {
  return putClaim(table, claiming, 'attribute_not_exists(pk) OR until_ms <= :now OR holder = :me')
}

/** Whether it is the holder's still. A claim that came to an end is over: others may have begun since. */
export function prolongWriting(table: Table, claiming: Claiming): Promise<boolean> {
  return putClaim(table, claiming, 'until_ms > :now AND holder = :me')
}

async function putClaim(
  table: Table,
  { holder, nowMs, untilMs, isRun }: Claiming,
  ConditionExpression: string,
): Promise<boolean> {
  try {
    await table.write({
      Put: {
        Item: { ...rebuildingKey, holder, until_ms: untilMs, is_run: isRun },
        ConditionExpression,
        ExpressionAttributeValues: { ':me': holder, ':now': nowMs },
      },
    })
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

export function endWriting(table: Table, holder: string): Promise<void> {
  return table
    .write({
      Delete: {
        Key: rebuildingKey,
        ConditionExpression: 'holder = :me',
        ExpressionAttributeValues: { ':me': holder },
      },
    })
    .catch(ignoreConditionFailed)
}
