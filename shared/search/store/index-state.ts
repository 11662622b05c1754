// Reads the state of the index in one query: the manifest, markers of pending posts, the lock of a rebuild.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { INDEX_PARTITION, manifestKey, markerIn, rebuildLockKey } from '../../table/design.ts'
import { readConsistently } from '../../table/read-consistently.ts'
import { type Manifest, ManifestItem, mergedRevisions } from '../manifest.ts'
import { type Marker, type PendingPost, pendingPosts } from '../pending.ts'

/** Lazy, as the other schemas here: most requests read no index. */
const Lock = z.lazy(() => z.object({ holder: z.string(), until_ms: z.int() }))
type Lock = z.infer<typeof Lock>

export type IndexState = {
  /** Undefined before the first post, and in a table of a version that had another index. */
  manifest: Manifest | undefined
  markers: Marker[]
  pending: PendingPost[]
  lock: Lock | undefined
}

/**
 * The markers and the replaced documents of merged posts, and merged segments, are kept for this time, for
 * searches that read the manifest before.
 */
export const KEPT_MS = 5_000
/** In a slower read, the markers could be younger than the manifest by more than they are kept. */
const LONGEST_READ_MS = 2_000

const StateItem = z.lazy(() => z.looseObject({ sk: z.string() }))
const MarkerItem = z.lazy(() =>
  z.object({
    sk: z.string(),
    previous: z.optional(z.int()),
    state: z._default(z.enum(['changed', 'left', 'unread']), 'changed'),
  }),
)

/** Throws ReadConflict if the table takes too long each time. */
export function readIndexState(table: Table): Promise<IndexState> {
  return readConsistently('The search index', table, async table => {
    const startedMs = performance.now()
    const items = await table.query({ pk: INDEX_PARTITION }, StateItem)
    return performance.now() - startedMs > LONGEST_READ_MS ? undefined : stateOf(items)
  })
}

function stateOf(items: z.infer<typeof StateItem>[]): IndexState {
  const manifest = items.find(({ sk }) => sk === manifestKey.sk)
  const lock = items.find(({ sk }) => sk === rebuildLockKey.sk)
  const markers = items.flatMap(item => {
    const ref = markerIn(item.sk)
    if (!ref) return []
    const { previous, state } = MarkerItem.parse(item)
    return [{ ...ref, previous, state }]
  })
  const parsed = manifest && ManifestItem.parse(manifest)
  return {
    manifest: parsed,
    markers,
    pending: pendingPosts(markers, mergedRevisions(parsed)),
    lock: lock && Lock.parse(lock),
  }
}

export function emptyManifest(): Manifest {
  return { stamp: randomUUID(), segments: [], leavings: [], built: { pending: '', merge: '' } }
}
