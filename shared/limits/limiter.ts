// Counts requests: one item per scope and client, one conditional update per request.
import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import * as z from 'zod/mini'
import { currentKey } from '../aws/secret-value.ts'
import type { Limit } from '../http/audience.ts'
import { CONFLICT, ConditionFailed, isAsRead, setMembers, type WriteAction } from '../table/action.ts'
import { perTable, type Table } from '../table/client.ts'
import { isRunning, latestEnd, openGroups } from '../table/concurrency.ts'
import { type Key, limitKey } from '../table/design.ts'

export type LimitResult = { isAllowed: boolean; limit: number; remaining: number; resetMs: number }

/** Requests of one client that count together: by default in windows (`kind`) of a minute (`windowMs`). */
export type Bucket = Pick<Limit, 'scope'> &
  Partial<Pick<Limit, 'kind'>> & { client: string; max: number; windowMs?: number }

const MINUTE_MS = 60_000
const WindowRecord = z.object({ hits: z.number(), window_end: z.number() })

/** Buckets that are full, each with its end: refusing the requests of a flood costs no call. */
const fullBucketsOf = perTable(() => new Map<string, number>())
const MAX_REMEMBERED = 10_000

/** The refusal of a client that is known to be over its limit. Undefined: ask the table. */
export function knownRefusal(table: Table, bucket: Bucket, nowMs: number): LimitResult | undefined {
  const { max: limit, windowMs = MINUTE_MS } = bucket
  const resetMs = fullBucketsOf(table).get(nameOf(bucket))
  if (resetMs === undefined || !isRunning(resetMs - windowMs, windowMs, nowMs)) return undefined
  return { isAllowed: false, limit, remaining: 0, resetMs }
}

/** Counts one request of the client. A refused request is not counted. */
export async function consume(table: Table, bucket: Bucket, nowMs: number): Promise<LimitResult> {
  const refusal = knownRefusal(table, bucket, nowMs)
  if (refusal) return refusal
  const count = bucket.kind === 'log' ? consumeFromLog : consumeFromWindow
  const result = await count(table, bucket, nowMs)
  // This request is the last one allowed, so the next one is refused without a call.
  if (result.remaining === 0) rememberFull(table, bucket, result.resetMs)
  return result
}

/** Takes back one request of the current window. A failure is ignored: then one request more counts. */
export async function refund(table: Table, bucket: Bucket, nowMs: number): Promise<void> {
  fullBucketsOf(table).delete(nameOf(bucket))
  const Update = {
    Key: keyOf(bucket),
    UpdateExpression: 'SET hits = hits - :one',
    ConditionExpression: 'window_end > :now AND hits > :none',
    ExpressionAttributeValues: { ':one': 1, ':now': nowMs, ':none': 0 },
  }
  await table.write({ Update }).catch(() => undefined)
}

function nameOf({ scope, client }: Bucket): string {
  return `${scope}#${client}`
}

function keyOf({ scope, client }: Bucket): Key {
  return limitKey(scope, client)
}

/** Refuses requests of this client until then, in this function alone. */
export function rememberFull(table: Table, bucket: Bucket, untilMs: number): void {
  const fullUntil = fullBucketsOf(table)
  if (fullUntil.size >= MAX_REMEMBERED) fullUntil.clear()
  fullUntil.set(nameOf(bucket), untilMs)
}

/** One update counts the requests of a client that come while the one before is counted. */
const groupsOf = perTable(() => openGroups<Counted>())

type Counted = { isCounted: boolean; size: number; record: z.infer<typeof WindowRecord> | undefined }

/**
 * A window begins with its first request, so request N + 1 of a burst is the first refused. A request whose
 * answer is lost is counted again, so that there are never more than N.
 */
async function consumeFromWindow(table: Table, bucket: Bucket, nowMs: number): Promise<LimitResult> {
  const { max: limit, windowMs = MINUTE_MS } = bucket
  const add = (size: number) => addHits(table, bucket, size, nowMs)
  const group = await groupsOf(table)(nameOf(bucket), add)
  const isRefused = !group.value.isCounted && group.value.size > 1
  // There may be room for some of them.
  const { value, place } = isRefused ? { value: await add(1), place: 0 } : group
  const { isCounted, size, record } = value
  if (record && isCounted) {
    const remaining = limit - (record.hits - size + place + 1)
    return { isAllowed: true, limit, remaining, resetMs: record.window_end }
  }
  if (record && isRunning(record.window_end - windowMs, windowMs, nowMs)) {
    return { isAllowed: false, limit, remaining: 0, resetMs: record.window_end }
  }
  return await openWindow(table, bucket, nowMs)
}

async function addHits(table: Table, bucket: Bucket, size: number, nowMs: number): Promise<Counted> {
  const { max, windowMs = MINUTE_MS } = bucket
  const update = {
    Key: keyOf(bucket),
    UpdateExpression: 'SET hits = hits + :size',
    ConditionExpression: 'window_end > :now AND window_end <= :latest AND hits <= :room',
    ExpressionAttributeValues: {
      ':size': size,
      ':now': nowMs,
      ':latest': latestEnd(windowMs, nowMs),
      ':room': max - size,
    },
  }
  try {
    return { isCounted: true, size, record: await table.updateAndRead(update, WindowRecord) }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    return { isCounted: false, size, record: WindowRecord.safeParse(error.item).data }
  }
}

async function openWindow(table: Table, bucket: Bucket, nowMs: number): Promise<LimitResult> {
  const { max: limit, windowMs = MINUTE_MS } = bucket
  const resetMs = nowMs + windowMs
  const members = { hits: 1, window_end: resetMs, expires: Math.ceil(resetMs / 1000) + 60 }
  const isOver = {
    ConditionExpression: 'attribute_not_exists(window_end) OR window_end <= :now OR window_end > :latest',
    ExpressionAttributeValues: { ':now': nowMs, ':latest': latestEnd(windowMs, nowMs) },
  }
  try {
    await table.write({ Update: { Key: keyOf(bucket), ...setMembers(members, isOver) } })
    return { isAllowed: true, limit, remaining: limit - 1, resetMs }
  } catch (error) {
    // A concurrent request opened the window: count in that one.
    if (error instanceof ConditionFailed) return await consumeFromWindow(table, bucket, nowMs)
    throw error
  }
}

async function consumeFromLog(table: Table, bucket: Bucket, nowMs: number): Promise<LimitResult> {
  const { action, ...result } = await planRequest(table, bucket, nowMs)
  if (!result.isAllowed) return result
  try {
    await table.write(action)
    return result
  } catch (error) {
    if (error instanceof ConditionFailed) return await consumeFromLog(table, bucket, nowMs)
    throw error
  }
}

/** `action` logs the request. It fails with CONFLICT after a concurrent one. */
type PlannedRequest = LimitResult & { action: WriteAction }

const LogRecord = z.object({ hits: z.array(z.number()), revision: z.number() })

/** Plans one more request. If it is allowed, the caller writes the action, alone or in a transaction. */
export async function planRequest(table: Table, bucket: Bucket, nowMs: number): Promise<PlannedRequest> {
  const { max: limit, windowMs = MINUTE_MS } = bucket
  const stored = await table.find(keyOf(bucket), LogRecord)
  const live = (stored?.hits ?? []).filter(hit => isRunning(hit, windowMs, nowMs))
  const isAllowed = live.length < limit
  // The request whose end makes room for the next one.
  const first = (isAllowed ? live[0] : live.at(-limit)) ?? nowMs
  const members = {
    hits: [...live, nowMs],
    revision: (stored?.revision ?? 0) + 1,
    expires: Math.ceil((nowMs + windowMs) / 1000) + 60,
  }
  return {
    isAllowed,
    limit,
    remaining: isAllowed ? limit - live.length - 1 : 0,
    resetMs: first + windowMs,
    action: {
      onConditionFailed: CONFLICT,
      Update: { Key: keyOf(bucket), ...setMembers(members, isAsRead(stored)) },
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
