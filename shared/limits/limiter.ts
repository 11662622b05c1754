// Counts requests: one item per scope and client, one conditional update per request.
import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import * as z from 'zod/mini'
import { currentKey } from '../aws/secret-value.ts'
import type { Limit } from '../http/audience.ts'
import { CONFLICT, ConditionFailed, isAsRead, setMembers, type WriteAction } from '../table/action.ts'
import { perTable, type Table } from '../table/client.ts'
import { isRunning, latestEnd } from '../table/concurrency.ts'
import { type Key, limitKey } from '../table/design.ts'

export type LimitResult = { isAllowed: boolean; limit: number; remaining: number; resetMs: number }

/** `windowMs`: a minute by default. */
type CountedLimit = Pick<Limit, 'scope' | 'kind'> & { windowMs?: number }

type Window = { max: number; windowMs: number }

export const MINUTE_MS = 60_000
const WindowRecord = z.object({ hits: z.number(), window_end: z.number() })

/** Buckets that are full, each with its end: refusing the requests of a flood costs no call. */
const fullBucketsOf = perTable(() => new Map<string, number>())
const MAX_REMEMBERED = 10_000

/** The refusal of a client that is known to be over its limit. Undefined: ask the table. */
export function knownRefusal(
  table: Table,
  { scope, windowMs = MINUTE_MS }: CountedLimit,
  client: string,
  max: number,
  nowMs: number,
): LimitResult | undefined {
  const resetMs = fullBucketsOf(table).get(bucketName(scope, client))
  if (resetMs === undefined || !isRunning(resetMs - windowMs, windowMs, nowMs)) return undefined
  return { isAllowed: false, limit: max, remaining: 0, resetMs }
}

/** Counts one request of `client`. A refused request is not counted. */
export async function consume(
  table: Table,
  counted: CountedLimit,
  client: string,
  max: number,
  nowMs: number,
): Promise<LimitResult> {
  const refusal = knownRefusal(table, counted, client, max, nowMs)
  if (refusal) return refusal
  const { scope, kind, windowMs = MINUTE_MS } = counted
  const count = kind === 'log' ? consumeFromLog : consumeFromWindow
  const result = await count(table, limitKey(scope, client), { max, windowMs }, nowMs)
  // This request is the last one allowed, so the next one is refused without a call.
  if (result.remaining === 0) rememberFull(table, counted, client, result.resetMs)
  return result
}

/** Takes back one request of the current window. A failure is ignored: then one request more counts. */
export async function refund(
  table: Table,
  { scope }: CountedLimit,
  client: string,
  nowMs: number,
): Promise<void> {
  fullBucketsOf(table).delete(bucketName(scope, client))
  const Update = {
    Key: limitKey(scope, client),
    UpdateExpression: 'SET hits = hits - :one',
    ConditionExpression: 'window_end > :now AND hits > :none',
    ExpressionAttributeValues: { ':one': 1, ':now': nowMs, ':none': 0 },
  }
  await table.write({ Update }).catch(() => undefined)
}

function bucketName(scope: string, client: string): string {
  return `${scope}#${client}`
}

/** Refuses requests of this client until then, in this function alone. */
export function rememberFull(table: Table, { scope }: CountedLimit, client: string, untilMs: number): void {
  const fullUntil = fullBucketsOf(table)
  if (fullUntil.size >= MAX_REMEMBERED) fullUntil.clear()
  fullUntil.set(bucketName(scope, client), untilMs)
}

/**
 * A window begins with its first request, so request N + 1 of a burst is the first refused. A request whose
 * answer is lost is counted again, so that there are never more than N.
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
        ConditionExpression: 'window_end > :now AND window_end <= :latest AND hits < :max',
        ExpressionAttributeValues: {
          ':one': 1,
          ':now': nowMs,
          ':latest': latestEnd(windowMs, nowMs),
          ':max': max,
        },
      },
      WindowRecord,
    )
    return { isAllowed: true, limit: max, remaining: max - hits, resetMs: window_end }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const open = WindowRecord.safeParse(error.item).data
    if (open && isRunning(open.window_end - windowMs, windowMs, nowMs)) {
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
        ...setMembers(
          { hits: 1, window_end: resetMs, expires: Math.ceil(resetMs / 1000) + 60 },
          {
            ConditionExpression:
              'attribute_not_exists(window_end) OR window_end <= :now OR window_end > :latest',
            ExpressionAttributeValues: { ':now': nowMs, ':latest': latestEnd(windowMs, nowMs) },
          },
        ),
      },
    })
    return { isAllowed: true, limit: max, remaining: max - 1, resetMs }
  } catch (error) {
    // A concurrent request opened the window: count in that one.
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

type PlannedRequest = {
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

/**
 * The key of a client: an HMAC of the IP address, which is personal data. An IPv6 address counts as its /64,
 * which is what one household has. `key` is the value of a secret: counts begin again after its rotation.
 */
export function clientKey(address: string, key: string): string {
  return createHmac('sha256', currentKey(key).key).update(networkOf(address)).digest('base64url').slice(0, 27)
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

function networkOf(address: string): string {
  const ipv4 = MAPPED.exec(address)?.[1]
  return ipv4 ?? (isIPv6(address) ? firstGroups(address) : address)
}

/** The first four groups of 16 bits, without leading zeros. */
function firstGroups(address: string): string {
  const [head = '', tail] = address.split('%', 1).join('').split('::')
  const left = head.split(':').filter(group => group !== '')
  const right = tail === undefined ? [] : tail.split(':').filter(group => group !== '')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}
