// Writes a segment. Until a manifest names it, no search reads it, and the next run deletes it.
import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { setMembers } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { buildKey, segmentItemKey } from '../../table/design.ts'
import type { Entry } from '../entry.ts'
import type { Segment } from '../manifest.ts'
import { type PageIndex, unpackIndex } from '../page.ts'
import { openSegmentWriter, type SegmentWriter } from '../segment-writer.ts'
import { readItems } from '../store/segment-items.ts'

export type BuildKind = 'pending' | 'merge'

/** A segment under construction. A merge of `inputs` continues at `term`. */
export const Build = z.object({
  name: z.string(),
  inputs: z.array(z.string()),
  term: z.string(),
  items: z.int(),
  parts: z.array(z.int()),
})
export type Build = z.infer<typeof Build>

export function findBuild(table: Table, kind: BuildKind): Promise<Build | undefined> {
  return table.find(buildKey(kind), Build)
}

export async function saveBuild(table: Table, kind: BuildKind, build: Build): Promise<void> {
  await table.write({ Update: { Key: buildKey(kind), ...setMembers(build) } })
}

export async function startBuild(table: Table, kind: BuildKind, inputs: string[]): Promise<Build> {
  const build = { name: randomBytes(9).toString('base64url'), inputs, term: '', items: 0, parts: [] }
  await saveBuild(table, kind, build)
  return build
}

/** A writer that continues after the items that the build has. */
export async function openWriter(table: Table, build: Build, hasPrefixes: boolean): Promise<SegmentWriter> {
  const { name, items, parts } = build
  const read = await readItems(
    table,
    parts.map(n => ({ segment: name, n })),
  )
  const indexes = read.map(unpackIndex)
  const index: PageIndex = {
    terms: indexes.flatMap(({ terms }) => terms),
    pages: indexes.flatMap(({ pages }) => pages),
  }
  return openSegmentWriter({ hasPrefixes }, { items, parts, index })
}

const ITEMS_AT_ONCE = 100

/** Writes what the writer has ready, unless that is little. */
export async function writeReady(table: Table, name: string, writer: SegmentWriter, least = ITEMS_AT_ONCE) {
  if (writer.ready() < least) return
  const items = writer.take().map(({ n, bytes }) => ({ ...segmentItemKey(name, n), bytes }))
  for (let n = 0; n < items.length; n += ITEMS_AT_ONCE) await table.putMany(items.slice(n, n + ITEMS_AT_ONCE))
}

type Counts = Pick<Segment, 'added' | 'removed' | 'hasPrefixes'>

/** All at once, from entries in the order of their terms. */
export async function writeSegment(
  table: Table,
  name: string,
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  counts: Counts,
): Promise<Segment> {
  const writer = openSegmentWriter(counts)
  for await (const entry of entries) {
    writer.add(entry)
    await writeReady(table, name, writer)
  }
  return await finishSegment(table, name, writer, counts)
}

export async function finishSegment(
  table: Table,
  name: string,
  writer: SegmentWriter,
  counts: Counts,
): Promise<Segment> {
  const finished = writer.finish()
  await writeReady(table, name, writer, 1)
  return { name, ...finished, ...counts }
}

/** Deletes the items of a build that was given up. They were written in order. */
export async function removeUnfinished(table: Table, name: string): Promise<void> {
  for (let from = 0; ; from += ITEMS_AT_ONCE) {
    const keys = Array.from({ length: ITEMS_AT_ONCE }, (_, n) => segmentItemKey(name, from + n))
    const existing = await table.findMany(keys)
    if (existing.length === 0) return
    await table.removeMany(existing.map(({ pk, sk }) => ({ pk, sk })))
  }
}

/** The last items first, as long as there is time. Returns how many are left. */
export async function removeItems(
  table: Table,
  { name, items }: { name: string; items: number },
  hasTime: () => boolean,
): Promise<number> {
  let left = items
  while (left > 0 && hasTime()) {
    const from = Math.max(0, left - ITEMS_AT_ONCE)
    await table.removeMany(Array.from({ length: left - from }, (_, n) => segmentItemKey(name, from + n)))
    left = from
  }
  return left
}
