// Reads the state of the index in one query: the manifest, markers of pending posts, the lock of a rebuild.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import {
  addedAtMs,
  dueIdIn,
  endOfMarkers,
  INDEX_PARTITION,
  isAddingMarker,
  manifestKey,
  markerIn,
  rebuildLockKey,
} from '../../table/design.ts'
import { readConsistently } from '../../table/retrying.ts'
import { type Manifest, ManifestItem, mergedRevisions } from '../manifest.ts'
import { type Marker, type PendingPost, pendingPosts } from '../pending.ts'

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
 * searches that read the manifest before.
 */
export const KEPT_MS = 5_000
/** In a slower read, the markers could be younger than the manifest by more than they are kept. */
const LONGEST_READ_MS = 2_000

const StateItem = z.lazy(() => z.looseObject({ sk: z.string() }))
type StateItem = z.infer<typeof StateItem>
const MarkerItem = z.lazy(() =>
  z.object({
    sk: z.string(),
    previous: z.optional(z.int()),
    state: z._default(z.enum(['changed', 'left', 'unread']), 'changed'),
    units: z._default(z.int(), 1),
    previous_units: z._default(z.int(), 1),
  }),
)

/** `revision`: of the scheduled post when it was last changed. */
const DueItem = z.lazy(() => z.object({ revision: z.int(), units: z._default(z.int(), 1) }))

/** Without scheduled posts. Throws ReadConflict if the table takes too long each time. */
export function readIndexState(table: Table): Promise<IndexState> {
  const span = { pk: INDEX_PARTITION, to: endOfMarkers() }
  return readInTime(table, async table => stateOf(await table.query(span, StateItem)))
}

/** What a search reads of the pending posts; smaller in some tests. */
export type PendingBounds = {
  /** The items of one query, which cost at most 8 units. */
  items: number
  /** The fewest markers of additions that it reads, if there are as many. */
  additions: number
  /** The documents, which a function keeps in memory. */
  units: number
}

export const PENDING_BOUNDS: PendingBounds = { items: 700, additions: 200, units: 200 }

export type SearchedState = Pick<IndexState, 'manifest' | 'pending'> & { hasAllMarkers: boolean }

/**
 * The same with the scheduled posts that are due, and without the markers of older additions if there are
 * many: no segment contains their posts.
 */
export function readSearchedState(
  table: Table,
  bounds: PendingBounds,
  nowSeconds: number,
): Promise<SearchedState> {
  const to = endOfMarkers(nowSeconds)
  return readInTime(table, async table => {
    const items: StateItem[] = []
    for (;;) {
      const last = items.at(-1)?.sk
      // Each further page is as long as all before, so that thousands of edits are read in few round trips.
      const limit = Math.max(bounds.items, items.length)
      const span = { pk: INDEX_PARTITION, to, limit, ...(last && { from: `${last}\u0000` }) }
      const page = await table.query(span, StateItem)
      for (const item of page) items.push(item)
      const hasAllMarkers = page.length < limit
      const additions = items.filter(({ sk }) => isAddingMarker(sk)).length
      if (hasAllMarkers || additions >= bounds.additions) return { ...stateOf(items), hasAllMarkers }
    }
  })
}

function readInTime<T>(table: Table, read: (table: Table) => Promise<T>): Promise<T> {
  return readConsistently('The search index', table, async table => {
    const startedMs = performance.now()
    const state = await read(table)
    return performance.now() - startedMs > LONGEST_READ_MS ? undefined : state
  })
}

function stateOf(items: StateItem[]): IndexState {
  const manifest = items.find(({ sk }) => sk === manifestKey.sk)
  const lock = items.find(({ sk }) => sk === rebuildLockKey.sk)
  const markers = items.flatMap(item => {
    const dueId = dueIdIn(item.sk)
    if (dueId !== undefined) return [dueMarker(dueId, item)]
    const ref = markerIn(item.sk)
    if (!ref) return []
    const { sk, previous, state, units, previous_units } = MarkerItem.parse(item)
    return [{ ...ref, previous, state, units, previousUnits: previous_units, addedAtMs: addedAtMs(sk), sk }]
  })
  const parsed = manifest && ManifestItem.parse(manifest)
  return {
    manifest: parsed,
    markers,
    pending: pendingPosts(markers, mergedRevisions(parsed)),
    lock: lock && Lock.parse(lock),
  }
}

function dueMarker(id: number, item: StateItem): Marker {
  const { revision, units } = DueItem.parse(item)
  const none = { previous: undefined, previousUnits: 0, addedAtMs: undefined }
  return { id, revision, state: 'due', units, sk: item.sk, ...none }
}

export function emptyManifest(): Manifest {
  return { stamp: randomUUID(), segments: [], leavings: [], built: { pending: '', merge: '' } }
}
