// Counting requests: one item per scope and client, one conditional update per request.
import * as z from 'zod/mini'
import type { Limit } from '../http/audience.ts'
import { Refused } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { limitKey } from '../table/design.ts'
import { planHit } from './hit-log.ts'

export type Verdict = { isAllowed: boolean; limit: number; remaining: number; resetMs: number }

const WINDOW_MS = 60_000
const Window = z.object({ hits: z.number(), window_end: z.number() })

/** Buckets that are full, until when: the requests of a flood that are refused cost no call. */
const fullUntil = new Map<string, number>()
const MOST_REMEMBERED = 10_000

/** The refusal of a client that is known to be over its limit; undefined: only the table can tell. */
export const knownRefusal = (
  { scope }: Limit,
  client: string,
  perMinute: number,
  nowMs: number,
): Verdict | undefined => {
  const resetMs = fullUntil.get(nameOf(scope, client))
  if (resetMs === undefined || resetMs <= nowMs) return undefined
  return { isAllowed: false, limit: perMinute, remaining: 0, resetMs }
}

/** Counts one request of `client` against `limit`. Whoever is refused is not counted. */
export const charge = async (
  table: Table,
  limit: Limit,
  client: string,
  perMinute: number,
  nowMs: number,
): Promise<Verdict> => {
  const known = knownRefusal(limit, client, perMinute, nowMs)
  if (known) return known
  const { scope, kind } = limit
  const count = kind === 'log' ? chargeLog : chargeWindow
  const verdict = await count(table, limitKey(scope, client), perMinute, nowMs)
  // The one that takes the last place is let through, and the next one is known to be too many.
  if (verdict.remaining === 0) remember(nameOf(scope, client), verdict.resetMs)
  return verdict
}

const nameOf = (scope: string, client: string): string => `${scope}#${client}`

const remember = (name: string, untilMs: number): void => {
  // A later insertion goes to the end, so that the first is always the one remembered longest ago.
  fullUntil.delete(name)
  const [oldest] = fullUntil.keys()
  if (fullUntil.size >= MOST_REMEMBERED && oldest !== undefined) fullUntil.delete(oldest)
  fullUntil.set(name, untilMs)
}

/**
 * A window begins with the first hit, so request N + 1 of a burst is always the first that is refused. Of a hit whose
 * answer is lost nobody knows: it is counted again, so that there are never more than N.
 */
const chargeWindow = async (
  table: Table,
  Key: ReturnType<typeof limitKey>,
  max: number,
  nowMs: number,
): Promise<Verdict> => {
  try {
    const { hits, window_end } = await table.updateAndRead(
      {
        Key,
        UpdateExpression: 'SET hits = hits + :one',
        ConditionExpression: 'window_end > :now AND hits < :max',
        ExpressionAttributeValues: { ':one': 1, ':now': nowMs, ':max': max },
      },
      Window,
    )
    return { isAllowed: true, limit: max, remaining: max - hits, resetMs: window_end }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const open = Window.safeParse(error.found).data
    if (open && open.window_end > nowMs)
      return { isAllowed: false, limit: max, remaining: 0, resetMs: open.window_end }
    return await openWindow(table, Key, max, nowMs)
  }
}

const openWindow = async (
  table: Table,
  Key: ReturnType<typeof limitKey>,
  max: number,
  nowMs: number,
): Promise<Verdict> => {
  const resetMs = nowMs + WINDOW_MS
  try {
    await table.write({
      Update: {
        Key,
        UpdateExpression: 'SET hits = :one, window_end = :end, expires = :expires',
        ConditionExpression: 'attribute_not_exists(window_end) OR window_end <= :now',
        ExpressionAttributeValues: {
          ':one': 1,
          ':end': resetMs,
          ':now': nowMs,
          ':expires': Math.ceil(resetMs / 1000) + 60,
        },
      },
    })
    return { isAllowed: true, limit: max, remaining: max - 1, resetMs }
  } catch (error) {
    // Somebody else opened the window in between: count in theirs.
    if (error instanceof Refused) return await chargeWindow(table, Key, max, nowMs)
    throw error
  }
}

const chargeLog = async (
  table: Table,
  Key: ReturnType<typeof limitKey>,
  max: number,
  nowMs: number,
): Promise<Verdict> => {
  const { isAllowed, remaining, resetMs, action } = await planHit(
    table,
    Key,
    { max, windowMs: WINDOW_MS },
    nowMs,
  )
  if (!isAllowed) return { isAllowed, limit: max, remaining, resetMs }
  try {
    await table.write(action)
    return { isAllowed, limit: max, remaining, resetMs }
  } catch (error) {
    if (error instanceof Refused) return await chargeLog(table, Key, max, nowMs)
    throw error
  }
}
