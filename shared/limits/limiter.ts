// Counting requests: one item per scope and client, one conditional update per request.
import * as z from 'zod/mini'
import type { Limit } from '../http/audience.ts'
import { ConditionFailed } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { limitKey } from '../table/design.ts'
import type { Key } from '../table/key.ts'
import { perTable } from '../table/per-table.ts'
import { planRequest, type Window } from './sliding-window.ts'

export type LimitResult = { isAllowed: boolean; limit: number; remaining: number; resetMs: number }

/** What is counted, and over how long: a minute unless it says otherwise. */
type Counted = Pick<Limit, 'scope' | 'kind'> & { windowMs?: number }

const MINUTE_MS = 60_000
const Open = z.object({ hits: z.number(), window_end: z.number() })

/** Buckets that are full, each with its end: refusing the requests of a flood costs no call. */
const fullBucketsOf = perTable(() => new Map<string, number>())
const MOST_REMEMBERED = 10_000

/** The refusal of a client that is known to be over its limit; undefined: only the table can tell. */
export function knownRefusal(
  table: Table,
  { scope }: Counted,
  client: string,
  max: number,
  nowMs: number,
): LimitResult | undefined {
  const resetMs = fullBucketsOf(table).get(nameOf(scope, client))
  if (resetMs === undefined || resetMs <= nowMs) return undefined
  return { isAllowed: false, limit: max, remaining: 0, resetMs }
}

/** Counts one request of `client`. Whoever is refused is not counted. */
export async function consume(
  table: Table,
  counted: Counted,
  client: string,
  max: number,
  nowMs: number,
): Promise<LimitResult> {
  const known = knownRefusal(table, counted, client, max, nowMs)
  if (known) return known
  const { scope, kind, windowMs = MINUTE_MS } = counted
  const count = kind === 'log' ? consumeFromLog : consumeFromWindow
  const result = await count(table, limitKey(scope, client), { max, windowMs }, nowMs)
  // The one that takes the last place is let through, and the next one is known to be too many.
  if (result.remaining === 0) remember(table, nameOf(scope, client), result.resetMs)
  return result
}

/** Takes one back of the window that is open, if it is. That it was not done is no failure: one more counts. */
export async function giveBack(
  table: Table,
  { scope }: Counted,
  client: string,
  nowMs: number,
): Promise<void> {
  fullBucketsOf(table).delete(nameOf(scope, client))
  const Update = {
    Key: limitKey(scope, client),
    UpdateExpression: 'SET hits = hits - :one',
    ConditionExpression: 'window_end > :now AND hits > :none',
    ExpressionAttributeValues: { ':one': 1, ':now': nowMs, ':none': 0 },
  }
  await table.write({ Update }).catch(() => undefined)
}

function nameOf(scope: string, client: string): string {
  return `${scope}#${client}`
}

function remember(table: Table, name: string, untilMs: number): void {
  const fullUntil = fullBucketsOf(table)
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
async function consumeFromWindow(
  table: Table,
  Key: Key,
  { max, windowMs }: Window,
  nowMs: number,
): Promise<LimitResult> {
  try {
    const { hits, window_end } = await table.updateAndRead(
      {
        Key,
        UpdateExpression: 'SET hits = hits + :one',
        ConditionExpression: 'window_end > :now AND hits < :max',
        ExpressionAttributeValues: { ':one': 1, ':now': nowMs, ':max': max },
      },
      Open,
    )
    return { isAllowed: true, limit: max, remaining: max - hits, resetMs: window_end }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const open = Open.safeParse(error.found).data
    if (open && open.window_end > nowMs) {
      return { isAllowed: false, limit: max, remaining: 0, resetMs: open.window_end }
    }
    return await openWindow(table, Key, { max, windowMs }, nowMs)
  }
}

async function openWindow(
  table: Table,
  Key: Key,
  { max, windowMs }: Window,
  nowMs: number,
): Promise<LimitResult> {
  const resetMs = nowMs + windowMs
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
    if (error instanceof ConditionFailed) return await consumeFromWindow(table, Key, { max, windowMs }, nowMs)
    throw error
  }
}

async function consumeFromLog(table: Table, Key: Key, window: Window, nowMs: number): Promise<LimitResult> {
  const { isAllowed, remaining, resetMs, action } = await planRequest(table, Key, window, nowMs)
  const result = { isAllowed, limit: window.max, remaining, resetMs }
  if (!isAllowed) return result
  try {
    await table.write(action)
    return result
  } catch (error) {
    if (error instanceof ConditionFailed) return await consumeFromLog(table, Key, window, nowMs)
    throw error
  }
}
