// While the whole index is written anew, nobody else begins to write it. The claim ends by itself, should its holder.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { Refused } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { rebuildingKey } from '../table/design.ts'

const Claim = z.object({ holder: z.string(), until_ms: z.int() })

const LOOK_AGAIN_MS = 1_000
/** Well within the time that a run has. */
const LONGEST_WAIT_MS = 60_000

/**
 * To be asked after what is written depends on was read: a rebuild that begins later sees the notes of this run.
 * Throws when the rebuild takes longer than a run can wait; the run's message comes again.
 */
export const untilRebuilt = async (table: Table, nowMs: number): Promise<void> => {
  const started = performance.now()
  for (;;) {
    const waited = performance.now() - started
    const claim = await table.find(rebuildingKey, Claim)
    if (!claim || claim.until_ms <= nowMs + waited) return
    if (waited > LONGEST_WAIT_MS) throw new Error('The index is being rebuilt: what is new comes after it.')
    await pause(LOOK_AGAIN_MS)
  }
}

type Claiming = { holder: string; nowMs: number; untilMs: number }

/** Whether it is the holder's, who had none before. */
export const claimRebuilding = (table: Table, claiming: Claiming): Promise<boolean> =>
  putClaim(table, claiming, 'attribute_not_exists(pk) OR until_ms <= :now OR holder = :me')

/** Whether it is the holder's still. One that came to an end is over: runs may have begun since. */
export const prolongRebuilding = (table: Table, claiming: Claiming): Promise<boolean> =>
  putClaim(table, claiming, 'until_ms > :now AND holder = :me')

const putClaim = async (
  table: Table,
  { holder, nowMs, untilMs }: Claiming,
  ConditionExpression: string,
): Promise<boolean> => {
  try {
    await table.write({
      Put: {
        Item: { ...rebuildingKey, holder, until_ms: untilMs },
        ConditionExpression,
        ExpressionAttributeValues: { ':me': holder, ':now': nowMs },
      },
    })
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

export const endRebuilding = (table: Table, holder: string): Promise<void> =>
  table
    .write({
      Delete: {
        Key: rebuildingKey,
        ConditionExpression: 'holder = :me',
        ExpressionAttributeValues: { ':me': holder },
      },
    })
    .catch(error => {
      if (!(error instanceof Refused)) throw error
    })
