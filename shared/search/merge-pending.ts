// Writes the documents of pending posts as a new segment.
import { CONFLICT, hasRevision, ignoreConditionFailed, isNew } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { docKey, postKey, replacedDocKey } from '../table/design.ts'
import { isBusy } from '../table/retrying.ts'
import { belongsInIndex, documentOf, type Searchable } from './document.ts'
import { docName, findDocsAt } from './documents.ts'
import { type DocumentChange, entriesOf } from './entry.ts'
import { packDoc } from './index-actions.ts'
import { type Manifest, NO_SEGMENTS, type Segment, saveManifest } from './manifest.ts'
import { needsPrefixes } from './merge-segments.ts'
import type { Marker, PendingPost } from './pending.ts'
import { startSegment, writeSegment } from './segment-writer.ts'

/** A post, and its body without tags. */
export type PostWithText = { post: Searchable; text: string }

export type MergeRun = {
  table: Table
  clock: () => number
  /** Reads a post whose text was too long for the request that wrote it. */
  findText: (table: Table, id: number) => Promise<PostWithText | undefined>
  log: (level: 'warn' | 'error', message: string, details: Record<string, unknown>) => void
}

/** Both bound the memory and the time of one step. Documents of most posts have one or two units. */
const MAX_POSTS_AT_ONCE = 250
const MAX_UNITS_AT_ONCE = 350

/** The posts of one step. A long text is read alone and last, so that it delays no other post. */
export function postsOfStep(pending: PendingPost[]): PendingPost[] {
  const known = pending.filter(({ newest }) => newest.state !== 'unread')
  if (known.length > 0) return withinUnits(known.slice(0, MAX_POSTS_AT_ONCE))
  // Any of them, so that one that cannot be read does not keep the others waiting.
  const at = Math.floor(Math.random() * pending.length)
  return pending.slice(at, at + 1)
}

/** The first posts. None fills a step alone, so that one that cannot be merged stops no others. */
function withinUnits(posts: PendingPost[]): PendingPost[] {
  let units = 0
  return posts.filter(post => {
    units += Math.min(post.units, MAX_UNITS_AT_ONCE / 2)
    return units <= MAX_UNITS_AT_ONCE
  })
}

/** Returns the new manifest, or undefined if no pending post could be merged. */
export async function mergePending(
  run: MergeRun,
  before: Manifest | undefined,
  pending: PendingPost[],
): Promise<Manifest | undefined> {
  const { table, clock } = run
  const some = postsOfStep(pending)
  for (const { newest } of some) if (newest.state === 'unread') await readUnread(run, newest)
  const updates = await readUpdates(run, some)
  if (updates.length === 0) return undefined
  const changes = updates.map(({ change }) => change)
  const added = changes.filter(({ after }) => after).length
  const removed = changes.filter(({ before }) => before).length
  const merged = new Map(updates.map(({ id, revision }) => [id, revision]))
  const swap = (manifest: Manifest | undefined, added: Segment[]) => {
    const { segments, obsolete } = manifest ?? NO_SEGMENTS
    const replaced = { at_ms: clock(), merged, segments: [] }
    const after = { segments: [...segments, ...added], obsolete: [...obsolete, replaced], building: [] }
    return saveManifest(table, manifest, after)
  }
  if (added + removed === 0) return await swap(before, [])
  const { manifest, name } = await startSegment(table, before)
  const counts = { added, removed, hasPrefixes: needsPrefixes(added + removed) }
  return await swap(manifest, [await writeSegment(table, name, entriesOf(changes), counts)])
}

type Update = { id: number; revision: number; change: DocumentChange }

/** Leaves out a post that has changed since the state was read: its next marker is for the next run. */
async function readUpdates({ table, log }: MergeRun, pending: PendingPost[]): Promise<Update[]> {
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
    if (merged !== undefined && !before) {
      log('error', 'a replaced document is missing; run `operator doctor --repair`', {
        post: id,
        revision: merged,
      })
      return []
    }
    return [{ id, revision: newest.revision, change: { before: before?.doc, after: after?.doc } }]
  })
}

/** Does nothing if the post has changed since, if its words are known already, or if it cannot be read. */
async function readUnread({ table, clock, findText, log }: MergeRun, marker: Marker): Promise<void> {
  const { id, revision } = marker
  try {
    const stored = await findText(table, id)
    if (stored?.post.revision !== revision || !belongsInIndex(stored.post)) return
    const { item, claims } = await packDoc(table, documentOf(stored.post, stored.text), revision, clock())
    await table
      .transact([
        { onConditionFailed: CONFLICT, Put: { Item: { ...docKey(id), ...item }, ...isNew } },
        { onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...hasRevision(revision) } },
        ...claims,
      ])
      .catch(ignoreConditionFailed)
  } catch (problem) {
    if (isBusy(problem)) throw problem
    log('error', 'a post cannot be read, and is not found', { post: id, problem: String(problem) })
  }
}
