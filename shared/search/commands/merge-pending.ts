// Writes the documents of pending posts as a new segment.
import type { Table } from '../../table/client.ts'
import { docKey, replacedDocKey } from '../../table/design.ts'
import { type DocumentChange, entriesOf } from '../entry.ts'
import { addLeavings, type Manifest } from '../manifest.ts'
import { needsPrefixes } from '../merge-plan.ts'
import type { PendingPost } from '../pending.ts'
import { docName, findDocsAt } from '../store/documents.ts'
import { emptyManifest, type IndexState } from '../store/index-state.ts'
import { readUnread } from './read-unread.ts'
import { saveManifest } from './save-manifest.ts'
import { startBuild, writeSegment } from './write-segment.ts'

export type MergeContext = {
  table: Table
  nowMs: number
  /** A few additions wait for others: each merge of more posts saves one of those that write them again. */
  mayWait?: boolean
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
  context: MergeContext,
  { manifest, pending }: IndexState,
): Promise<Manifest | undefined> {
  const { table, nowMs } = context
  const some = postsOfStep(pending)
  for (const { newest } of some) if (newest.state === 'unread') await readUnread(context, newest)
  const updates = await readUpdates(context, some)
  if (updates.length === 0) return undefined
  const changes = updates.map(({ change }) => change)
  const added = changes.filter(({ after }) => after).length
  const removed = changes.filter(({ before }) => before).length
  const before = manifest ?? emptyManifest()
  const merged = new Map(updates.map(({ id, revision }) => [id, revision]))
  const segments = [...before.segments]
  const built = { ...before.built }
  if (added + removed > 0) {
    const { name } = await startBuild(table, 'pending', [])
    built.pending = name
    const counts = { added, removed, hasPrefixes: needsPrefixes(added + removed) }
    segments.push(await writeSegment(table, name, entriesOf(changes), counts))
  }
  const leavings = addLeavings(before.leavings, { at_ms: nowMs, merged, obsolete: [] })
  return await saveManifest(table, manifest, { segments, leavings, built })
}

type Update = { id: number; revision: number; change: DocumentChange }

/** Leaves out a post that has changed since the state was read: its next marker is for the next run. */
async function readUpdates({ table, log }: MergeContext, pending: PendingPost[]): Promise<Update[]> {
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
