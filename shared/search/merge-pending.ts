// Writes the documents of pending posts as a new segment.
import type { Table } from '../table/client.ts'
import { docKey, replacedDocKey } from '../table/design.ts'
import { docName, findDocsAt } from './documents.ts'
import { type DocumentChange, entriesOf } from './entry.ts'
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
  const updates = await readUpdates(table, postsOfStep(pending))
  if (updates.length === 0) return undefined
  const changes = updates.map(({ change }) => change)
  const added = changes.filter(({ after }) => after).length
  const removed = changes.filter(({ before }) => before).length
  const merged = new Map(updates.map(({ id, revision }) => [id, revision]))
  const swap = (manifest: Manifest | undefined, newSegments: Segment[]) => {
    const { segments, obsolete } = manifest ?? NO_SEGMENTS
    const replaced = { at_ms: clock(), merged, segments: [] }
    const after = { segments: [...segments, ...newSegments], obsolete: [...obsolete, replaced], building: [] }
    return saveManifest(table, manifest, after)
  }
  if (added + removed === 0) return await swap(before, [])
  const { manifest, name } = await startSegment(table, before)
  return await swap(manifest, [await writeSegment(table, name, entriesOf(changes), { added, removed })])
}

type Update = { id: number; revision: number; change: DocumentChange }

/** Leaves out a post that has changed since the state was read: its next marker is for the next run. */
async function readUpdates(table: Table, pending: PendingPost[]): Promise<Update[]> {
  const docs = await findDocsAt(
    table,
    pending.flatMap(({ id, newest, merged }) => [
      ...(newest.state === 'left' ? [] : [docKey(id)]),
      ...(merged === undefined ? [] : [replacedDocKey(id, merged)]),
    ]),
  )
  return pending.flatMap(({ id, newest, merged }) => {
    const after = newest.state === 'left' ? undefined : docs.get(docName(docKey(id)))
    const before = merged === undefined ? undefined : docs.get(docName(replacedDocKey(id, merged)))
    if (newest.state !== 'left' && after?.revision !== newest.revision) return []
    return [{ id, revision: newest.revision, change: { before: before?.doc, after: after?.doc } }]
  })
}
