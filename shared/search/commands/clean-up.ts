// Deletes what earlier swaps of the manifest left: markers, replaced documents, segments that were merged.

import { releaseText } from '../../table/blob.ts'
import type { Table } from '../../table/client.ts'
import { slices } from '../../table/concurrency.ts'
import { INDEX_PARTITION, replacedDocKey } from '../../table/design.ts'
import type { Manifest } from '../manifest.ts'
import { type Marker, mergedMarkers } from '../pending.ts'
import { storedDoc } from '../store/documents.ts'
import { type IndexState, KEPT_MS } from '../store/index-state.ts'
import { removeItems } from './write-segment.ts'

/** Returns the leavings that are left, for the next manifest; undefined if nothing was deleted. */
export async function cleanUp(
  table: Table,
  { manifest, markers }: IndexState,
  { nowMs, hasTime }: { nowMs: number; hasTime: () => boolean },
): Promise<Manifest['leavings'] | undefined> {
  const [oldest, ...others] = manifest?.leavings ?? []
  if (!oldest || !hasLeavings(manifest, nowMs)) return undefined
  await removeMarkers(table, mergedMarkers(markers, oldest.merged), nowMs)
  const left = []
  for (const segment of oldest.obsolete) {
    const items = await removeItems(table, segment, hasTime)
    if (items > 0) left.push({ ...segment, items })
  }
  return left.length > 0 ? [{ ...oldest, merged: new Map(), obsolete: left }, ...others] : others
}

/** Whether some can be deleted already. */
export function hasLeavings(manifest: Manifest | undefined, nowMs: number): boolean {
  const [oldest] = manifest?.leavings ?? []
  return oldest !== undefined && nowMs - oldest.at_ms >= KEPT_MS
}

const MARKERS_AT_ONCE = 500

async function removeMarkers(table: Table, markers: Marker[], nowMs: number): Promise<void> {
  const replaced = markers.flatMap(({ id, previous }) =>
    previous === undefined ? [] : [replacedDocKey(id, previous)],
  )
  for (const item of await table.findMany(replaced)) {
    // A long document is in parts, which the sweep deletes.
    const released = releaseText(storedDoc(item).item, nowMs)
    if (released.length > 0) {
      await table.transact([{ Delete: { Key: { pk: item.pk, sk: item.sk } } }, ...released])
    }
  }
  await table.removeMany(replaced)
  // An import has thousands: side by side, the last ones would wait longer than a call may take.
  for (const some of slices(markers, MARKERS_AT_ONCE)) {
    await table.removeMany(some.map(({ sk }) => ({ pk: INDEX_PARTITION, sk })))
  }
}
