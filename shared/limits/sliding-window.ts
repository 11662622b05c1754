// A log of the last hits: never more than so many in any stretch of the window's length, wherever it begins.

import * as z from 'zod/mini'
import { CONFLICT, type Simple } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { isAsRead } from '../table/conditions.ts'
import type { Key } from '../table/key.ts'

export type Window = { max: number; windowMs: number }
export type PlannedRequest = {
  isAllowed: boolean
  remaining: number
  resetMs: number
  /** Notes the hit; refused as STALE when another one came in between. */
  action: Simple
}

const Log = z.object({ hits: z.array(z.number()), revision: z.number() })

/** What one more hit would be: whoever is allowed it writes its action, alone or with what else belongs to it. */
export async function planRequest(
  table: Table,
  Key: Key,
  { max, windowMs }: Window,
  nowMs: number,
): Promise<PlannedRequest> {
  const stored = await table.find(Key, Log)
  const live = (stored?.hits ?? []).filter(hit => hit > nowMs - windowMs)
  const isAllowed = live.length < max
  // Of those that fill the window, the one that leaves it first.
  const first = (isAllowed ? live[0] : live.at(-max)) ?? nowMs
  return {
    isAllowed,
    remaining: isAllowed ? max - live.length - 1 : 0,
    resetMs: first + windowMs,
    action: {
      onConditionFailed: CONFLICT,
      Put: {
        Item: {
          ...Key,
          hits: [...live, nowMs],
          revision: (stored?.revision ?? 0) + 1,
          expires: Math.ceil((nowMs + windowMs) / 1000) + 60,
        },
        ...isAsRead(stored),
      },
    },
  }
}
