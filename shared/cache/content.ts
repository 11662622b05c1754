// Public content as readers get it: what was read once stays in memory until a change, or until a scheduled
// post is due.
import * as z from 'zod/mini'
import type { Reply } from '../http/reply.ts'
import { perTable, type Table } from '../table/client.ts'
import { SCHEDULED_PARTITION, secondsIn, timeOrder } from '../table/design.ts'
import { approximateBytes, type ByteCache, openByteCache } from './byte-cache.ts'
import { withCachedReads } from './cached-reads.ts'
import { findVersion, watchVersion } from './version.ts'

export type Content = {
  /** For reads of public content. Writes, and reads of anything else, use the plain table. */
  table: Table
  /** For reads of names of categories and authors, settings and menus, which stay in memory longer. */
  namesTable: Table
  /** The moment of all reads: a second at which as much is public as at the moment of the request. */
  nowMs: number
  /** Undefined while nothing may be remembered. */
  answers?: ByteCache<Reply>
  /** Settles when nothing is under way any more. Never rejects. */
  ready: Promise<unknown>
}

/** Each for reads of content, of names, and for answers, in a function with 1,024 MB. */
const MAX_BYTES = 16_000_000

/** What a function remembers, each part under the version that was read before it. */
type Memory = {
  isContentSettled: (version: number) => boolean
  content?: Omit<Content, 'namesTable'> & { version: number; nextDueMs: Promise<number> }
  areNamesSettled: (version: number) => boolean
  names?: { table: Table; version: number }
}
const memoryOf = perTable(
  (): Memory => ({ isContentSettled: watchVersion(), areNamesSettled: watchVersion() }),
)

/** Reads the version, one unit. All that the content's tables return was read after the version. */
export async function openContent(table: Table, nowMs: number): Promise<Content> {
  const memory = memoryOf(table)
  const version = await findVersion(table)
  const areNamesSettled = memory.areNamesSettled(version.names)
  const isContentSettled = memory.isContentSettled(version.content)
  const namesTable = areNamesSettled ? rememberedNames(memory, table, version.names) : table
  const content = isContentSettled && (await rememberedContent(memory, table, nowMs, version.content))
  return { ...uncachedContent(table, nowMs), ...content, namesTable }
}

export function uncachedContent(table: Table, nowMs: number): Content {
  return { table, namesTable: table, nowMs, ready: Promise.resolve() }
}

function rememberedNames(memory: Memory, table: Table, version: number): Table {
  if (memory.names?.version !== version) memory.names = { table: withCachedReads(table, MAX_BYTES), version }
  return memory.names.table
}

/** Undefined if what is remembered is of a later second: another request was quicker. */
async function rememberedContent(memory: Memory, table: Table, nowMs: number, version: number) {
  const { content: remembered } = memory
  if (remembered?.version === version) {
    if (remembered.nowMs > nowMs) return undefined
    if (nowMs < (await remembered.nextDueMs)) return remembered
    // Another request may have started again in the meantime.
    if (memory.content !== remembered) return undefined
  }
  const momentMs = Math.floor(nowMs / 1000) * 1000
  // If it cannot be read, the next request starts again.
  const nextDueMs = findNextDueMs(table, momentMs / 1000).catch(() => 0)
  memory.content = {
    table: withCachedReads(table, MAX_BYTES),
    nowMs: momentMs,
    answers: openByteCache<Reply>(MAX_BYTES, approximateBytes),
    ready: nextDueMs,
    version,
    nextDueMs,
  }
  return memory.content
}

const ScheduledKey = z.object({ sk: z.string() })

/** When the next scheduled post is due; Infinity without one. */
async function findNextDueMs(table: Table, nowSeconds: number): Promise<number> {
  const span = { pk: SCHEDULED_PARTITION, from: timeOrder(nowSeconds + 1, 0), limit: 1, only: ['sk'] }
  const [next] = await table.query(span, ScheduledKey)
  return next ? secondsIn(next.sk) * 1000 : Number.POSITIVE_INFINITY
}
