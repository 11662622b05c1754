// Writes the documents of pending posts as a new segment.
import type { Table } from '../table/client.ts'
import { readPendingDocuments } from './documents.ts'
import { entriesOf } from './entry.ts'
import { type Manifest, NO_SEGMENTS, type Segment, saveManifest } from './manifest.ts'
import type { PendingPost } from './pending.ts'
import { startSegment, writeSegment } from './segment-writer.ts'

export type MergeRun = { table: Table; clock: () => number }

/** Both bound the memory and the time of one step. Documents of most posts have one or two units. */
const MAX_POSTS_AT_ONCE = 250
const MAX_UNITS_AT_ONCE = 350

/** The first posts. None fills a step alone, so that one that cannot be merged stops no others. */
export function postsOfStep(pending: PendingPost[]): PendingPost[] {
  let units = 0
  return pending.slice(0, MAX_POSTS_AT_ONCE).filter(post => {
    units += Math.min(post.units, MAX_UNITS_AT_ONCE / 2)
    return units <= MAX_UNITS_AT_ONCE
  })
}

/** Returns the new manifest, or undefined if no pending post could be merged. */
export async function mergePending(
  { table, clock }: MergeRun,
  before: Manifest | undefined,
  pending: PendingPost[],
): Promise<Manifest | undefined> {
  const posts = postsOfStep(pending)
  const read = await readPendingDocuments(table, posts)
  // A post that has changed since the state was read has a marker for the next run.
  const changes = read.flatMap((one, n) => (one && one.revision === posts[n]?.newest.revision ? one : []))
  if (changes.length === 0) return undefined
  const merged = new Map(changes.map(({ id, revision }) => [id, revision]))
  const swap = (manifest: Manifest | undefined, newSegments: Segment[]) => {
    const { segments, obsolete } = manifest ?? NO_SEGMENTS
    const replaced = { at_ms: clock(), merged, segments: [] }
    const after = { segments: [...segments, ...newSegments], obsolete: [...obsolete, replaced], building: [] }
    return saveManifest(table, manifest, after)
  }
  const entries = entriesOf(changes)
  if (entries.length === 0) return await swap(before, [])
  const { manifest, name } = await startSegment(table, before)
  return await swap(manifest, [await writeSegment(table, name, entries)])
}
