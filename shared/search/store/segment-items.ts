// Reads items of segments and keeps them in memory: they never change.
import * as z from 'zod/mini'
import { perTable, type Table } from '../../table/client.ts'
import { segmentItemKey } from '../../table/design.ts'
import type { Segment } from '../manifest.ts'
import { decompressPage, type PageIndex, unpackBlock, unpackIndex } from '../page.ts'
import type { Posting } from '../posting.ts'

/** Thrown if a segment was merged into another one and deleted since the manifest was read. */
export class SegmentDeleted extends Error {
  override name = 'SegmentDeleted'
}

export type ItemRef = { segment: string; n: number }

const StoredItem = z.lazy(() => z.object({ pk: z.string(), bytes: z.instanceof(Uint8Array) }))

/** The bytes of items as stored, in order. Throws SegmentDeleted if one does not exist. */
export async function readItems(table: Table, refs: ItemRef[]): Promise<Uint8Array[]> {
  const keys = refs.map(({ segment, n }) => segmentItemKey(segment, n))
  const found = new Map<string, Uint8Array>()
  // An eventual read costs half, and may be too early for a new segment.
  for (const isEventual of [true, false]) {
    const missing = keys.filter(({ pk }) => !found.has(pk))
    for (const item of await table.findMany(missing, { isEventual })) {
      const { pk, bytes } = StoredItem.parse(item)
      found.set(pk, bytes)
    }
  }
  return keys.map(({ pk }) => {
    const bytes = found.get(pk)
    if (!bytes) throw new SegmentDeleted(`The item ${pk} of the search index does not exist.`)
    return bytes
  })
}

/** What a function keeps in memory; the least used leave first. */
const MAX_BYTES = 32_000_000
const BYTES_PER_POSTING = 80
const BYTES_PER_TERM = 60

type Kept = { value: unknown; bytes: number }
type Cache = { kept: Map<string, Kept>; bytes: number }
const cacheOf = perTable((): Cache => ({ kept: new Map(), bytes: 0 }))

function keep(cache: Cache, name: string, value: unknown, bytes: number): void {
  if (cache.kept.has(name)) return
  cache.kept.set(name, { value, bytes })
  cache.bytes += bytes
  for (const [oldest, { bytes: freed }] of cache.kept) {
    if (cache.bytes <= MAX_BYTES) return
    cache.kept.delete(oldest)
    cache.bytes -= freed
  }
}

/** Reads those that are not in memory, all in one round trip. `unpack` also returns the size in memory. */
async function readKept<T>(
  table: Table,
  refs: ItemRef[],
  unpack: (bytes: Uint8Array) => { value: T; bytes: number },
): Promise<T[]> {
  const cache = cacheOf(table)
  const nameOf = ({ segment, n }: ItemRef) => segmentItemKey(segment, n).pk
  const values = new Map<string, T>()
  for (const ref of refs) {
    const name = nameOf(ref)
    const kept = cache.kept.get(name)
    if (!kept) continue
    cache.kept.delete(name)
    cache.kept.set(name, kept)
    // An item is always unpacked in the same way, by its number in its segment.
    values.set(name, kept.value as T)
  }
  const missing = [...new Map(refs.map(ref => [nameOf(ref), ref])).values()].filter(
    ref => !values.has(nameOf(ref)),
  )
  const read = missing.length > 0 ? await readItems(table, missing) : []
  for (const [n, ref] of missing.entries()) {
    const { value, bytes } = unpack(read[n] ?? new Uint8Array())
    values.set(nameOf(ref), value)
    keep(cache, nameOf(ref), value, bytes)
  }
  return refs.flatMap(ref => values.get(nameOf(ref)) ?? [])
}

/** The indexes of the segments, in order. One of a single page has none. */
export async function readIndexes(table: Table, segments: Segment[]): Promise<PageIndex[]> {
  const stored = segments.filter(({ hasIndex }) => hasIndex)
  const read = await readKept(
    table,
    stored.map(({ name, items }) => ({ segment: name, n: items - 1 })),
    bytes => {
      const value = unpackIndex(bytes)
      return { value, bytes: value.terms.length * BYTES_PER_TERM }
    },
  )
  const byName = new Map(stored.map(({ name }, n) => [name, read[n]]))
  return segments.map(({ name, items }) => byName.get(name) ?? { terms: [''], pages: [items - 1] })
}

/** Decompressed pages, in order. */
export function readPages(table: Table, refs: ItemRef[]): Promise<Uint8Array[]> {
  return readKept(table, refs, bytes => {
    const value = decompressPage(bytes)
    return { value, bytes: value.length }
  })
}

/** The postings of blocks, in order. */
export function readBlocks(table: Table, refs: ItemRef[]): Promise<Posting[][]> {
  return readKept(table, refs, bytes => {
    const value = unpackBlock(bytes)
    return { value, bytes: value.length * BYTES_PER_POSTING }
  })
}
