// Reads the state of the index in one query: the manifest, markers of pending posts, the lock of a rebuild.
import * as z from 'zod/mini'
import type { Table } from '../table/client.ts'
import {
  dueIdIn,
  endOfMarkers,
  INDEX_PARTITION,
  manifestKey,
  markerIn,
  rebuildLockKey,
} from '../table/design.ts'
import { type Manifest, ManifestItem, mergedRevisions } from './manifest.ts'
import { type Marker, type PendingPost, pendingPosts } from './pending.ts'

/** Lazy, as the other schemas here: most requests read no index. */
const Lock = z.lazy(() => z.object({ holder: z.string(), until_ms: z.int() }))
type Lock = z.infer<typeof Lock>

export type IndexState = {
  /** Undefined before the first post. */
  manifest: Manifest | undefined
  markers: Marker[]
  pending: PendingPost[]
  lock: Lock | undefined
}

/**
 * The markers and the replaced documents of merged posts, and merged segments, are kept for this time, for
 * searches that read the manifest before: none takes as long.
 */
export const KEPT_MS = 10_000

const StateItem = z.lazy(() => z.looseObject({ sk: z.string() }))
type StateItem = z.infer<typeof StateItem>
const MarkerItem = z.lazy(() =>
  z.object({
    previous: z.optional(z.int()),
    state: z._default(z.enum(['changed', 'left']), 'changed'),
    units: z._default(z.int(), 1),
    previous_units: z._default(z.int(), 1),
    added_ms: z.optional(z.int()),
  }),
)

/** `revision`: of the scheduled post when it was last changed. */
const DueItem = z.lazy(() => z.object({ revision: z.int(), units: z._default(z.int(), 1) }))

/** With `nowSeconds` also the scheduled posts that are due then. */
export async function readIndexState(table: Table, nowSeconds?: number): Promise<IndexState> {
  const items = await table.query({ pk: INDEX_PARTITION, to: endOfMarkers(nowSeconds) }, StateItem)
  const stored = items.find(({ sk }) => sk === manifestKey.sk)
  const lock = items.find(({ sk }) => sk === rebuildLockKey.sk)
  const manifest = stored && ManifestItem.parse(stored)
  const markers = items.flatMap(item => markerOf(item) ?? [])
  return {
    manifest,
    markers,
    pending: pendingPosts(markers, mergedRevisions(manifest?.obsolete ?? [])),
    lock: lock && Lock.parse(lock),
  }
}

function markerOf(item: StateItem): Marker | undefined {
  const dueId = dueIdIn(item.sk)
  if (dueId !== undefined) return { id: dueId, state: 'due', ...DueItem.parse(item), previous_units: 0 }
  const ref = markerIn(item.sk)
  return ref && { ...ref, ...MarkerItem.parse(item) }
}
