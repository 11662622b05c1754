// A sliding window: a log of recent requests, so that no span of the window's length exceeds the limit.

import * as z from 'zod/mini'
import { CONFLICT, type WriteAction } from '../table/action.ts'
import { setMembers } from '../table/change.ts'
import type { Table } from '../table/client.ts'
import { isAsRead } from '../table/conditions.ts'
import type { Key } from '../table/key.ts'
import { isRunning } from '../table/running.ts'

export type Window = { max: number; windowMs: number }
export type PlannedRequest = {
  isAllowed: boolean
  remaining: number
  resetMs: number
  /** Logs the request. Fails with CONFLICT after a concurrent one. */
  action: WriteAction
}

const LogRecord = z.object({ hits: z.array(z.number()), revision: z.number() })

/** Plans one more request. If it is allowed, the caller writes the action, alone or in a transaction. */
export async function planRequest(
  table: Table,
  Key: Key,
  { max, windowMs }: Window,
  nowMs: number,
): Promise<PlannedRequest> {
  const stored = await table.find(Key, LogRecord)
  const live = (stored?.hits ?? []).filter(hit => isRunning(hit, windowMs, nowMs))
  const isAllowed = live.length < max
  // The request whose end makes room for the next one.
  const first = (isAllowed ? live[0] : live.at(-max)) ?? nowMs
  return {
    isAllowed,
    remaining: isAllowed ? max - live.length - 1 : 0,
    resetMs: first + windowMs,
    action: {
      onConditionFailed: CONFLICT,
      Update: {
        Key,
        ...setMembers(
          {
            hits: [...live, nowMs],
            revision: (stored?.revision ?? 0) + 1,
            expires: Math.ceil((nowMs + windowMs) / 1000) + 60,
          },
          isAsRead(stored),
        ),
      },
    },
  }
}
