// Public content as readers get it: what was read once stays in memory until a change, or until a scheduled
// post is due.
import * as z from 'zod/mini'
import type { Reply } from '../http/reply.ts'
import type { Table } from '../table/client.ts'
import { SCHEDULED_PARTITION, secondsIn, timeOrder } from '../table/design.ts'
import { perTable } from '../table/per-table.ts'
import { approximateBytes, type ByteCache, openByteCache } from './byte-cache.ts'
import { withCachedReads } from './cached-reads.ts'
import { openEra } from './era.ts'
import { findGenerations, pickCopy } from './generation.ts'

export type Content = {
  /** For reads of public content. Writes, and reads of anything else, use the plain table. */
  table: Table
  /** For reads of names of categories and authors, settings and menus, which stay in memory longer. */
  names: Table
  /** The moment of all reads: a second at which as much is public as at the moment of the request. */
  nowMs: number
  /** Undefined while nothing may be remembered. */
  answers?: ByteCache<Reply>
  /** Settles when nothing is under way any more. Never rejects. */
  ready: Promise<unknown>
}

/** During a deployment, a version that raises no generation may still change content. */
const REMEMBERED_MS = 60_000
/** Each for reads of content, of names, and for answers, in a function with 1,024 MB. */
const MAX_BYTES = 16_000_000

type Remembered<T> = T & { generation: number; sinceMs: number }
type Memory = {
  copy: number
  isContentSettled: (generation: number) => boolean
  content?: Remembered<{ content: Omit<Content, 'names'>; nextDueMs: Promise<number> }>
  areNamesSettled: (generation: number) => boolean
  names?: Remembered<{ table: Table }>
}
const memoryOf = perTable(
  (): Memory => ({ copy: pickCopy(), isContentSettled: openEra(), areNamesSettled: openEra() }),
)

/** Reads the generations, one unit. Whatever the content's tables return was read from the table after it. */
export async function openContent(table: Table, nowMs: number): Promise<Content> {
  const memory = memoryOf(table)
  const generations = await findGenerations(table, memory.copy)
  const areNamesSettled = memory.areNamesSettled(generations.names)
  const names = areNamesSettled ? rememberedNames(memory, table, generations.names) : table
  const isContentSettled = memory.isContentSettled(generations.content)
  const content = isContentSettled && (await rememberedContent(memory, table, nowMs, generations.content))
  return { ...(content || uncached(table, nowMs)), names }
}

export function uncachedContent(table: Table, nowMs: number): Content {
  return { ...uncached(table, nowMs), names: table }
}

function uncached(table: Table, nowMs: number) {
  return { table, nowMs, ready: Promise.resolve() }
}

function isFresh(remembered: Remembered<object> | undefined, generation: number): boolean {
  return remembered?.generation === generation && performance.now() - remembered.sinceMs < REMEMBERED_MS
}

function rememberedNames(memory: Memory, table: Table, generation: number): Table {
  if (!memory.names || !isFresh(memory.names, generation)) {
    memory.names = { table: withCachedReads(table, MAX_BYTES), generation, sinceMs: performance.now() }
  }
  return memory.names.table
}

/** Undefined if what is remembered is of a later second: another request was quicker. */
async function rememberedContent(memory: Memory, table: Table, nowMs: number, generation: number) {
  const { content: remembered } = memory
  if (remembered && isFresh(remembered, generation)) {
    if (remembered.content.nowMs > nowMs) return undefined
    if (nowMs < (await remembered.nextDueMs)) return remembered.content
    // Another request may have started again in the meantime.
    if (memory.content !== remembered) return undefined
  }
  const momentMs = Math.floor(nowMs / 1000) * 1000
  // If it cannot be read, the next request starts again.
  const nextDueMs = findNextDueMs(table, momentMs / 1000).catch(() => 0)
  const content = {
    table: withCachedReads(table, MAX_BYTES),
    nowMs: momentMs,
    answers: openByteCache<Reply>(MAX_BYTES, approximateBytes),
    ready: nextDueMs,
  }
  memory.content = { content, nextDueMs, generation, sinceMs: performance.now() }
  return content
}

const ScheduledKey = z.object({ sk: z.string() })

/** When the next scheduled post is due; Infinity without one. */
async function findNextDueMs(table: Table, nowSeconds: number): Promise<number> {
  const span = { pk: SCHEDULED_PARTITION, from: timeOrder(nowSeconds + 1, 0), limit: 1, only: ['sk'] }
  const [next] = await table.query(span, ScheduledKey)
  return next ? secondsIn(next.sk) * 1000 : Number.POSITIVE_INFINITY
}
