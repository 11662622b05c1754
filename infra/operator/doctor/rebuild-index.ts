// Rebuilds the search index while the service runs. Changes stay pending until it ends: searches find them.
import { randomUUID } from 'node:crypto'
import type { SearchDocument } from '../../../shared/search/document.ts'
import { entriesOf } from '../../../shared/search/entry.ts'
import { readIndexState } from '../../../shared/search/index-state.ts'
import {
  acquireLock,
  type Manifest,
  NO_SEGMENTS,
  releaseLock,
  renewLock,
  type Segment,
  saveManifest,
} from '../../../shared/search/manifest.ts'
import type { PendingPost } from '../../../shared/search/pending.ts'
import { removeAbandoned, startSegment, writeSegment } from '../../../shared/search/segment-writer.ts'
import { ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently, slices } from '../../../shared/table/concurrency.ts'
import { lastId } from '../../../shared/table/next-id.ts'
import type { Context } from '../command.ts'
import { OperatorError } from '../command.ts'
import { openEstimate } from '../terminal.ts'
import { findPostsToIndex, saveDocument } from './documents-of-posts.ts'

/** Of a segment. Their words take about 100 MB of memory. */
const POSTS_OF_SEGMENT = 2_000
const POSTS_AT_ONCE = 30
const BATCHES_AT_ONCE = 4

/** By post id: the revision of which the new segments have the words, or of a post that is not public. */
type Revisions = Map<number, number>

/**
 * Returns the number of posts. If it is interrupted, the index stays as it was. Throws OperatorError while
 * another rebuild is running. The index worker merges the new segments later, as it does all.
 */
export async function rebuildIndex(context: Pick<Context, 'target' | 'nowMs' | 'progress'>): Promise<number> {
  const { table } = context.target
  const lock = await acquireRebuildLock(table, context.nowMs)
  try {
    let manifest = await stopRuns(table)
    const last = await lastId(table, 'post')
    // The ids are those that were given to posts, so that no scan is needed.
    const ids = Array.from({ length: last }, (_, n) => n + 1)
    const left = openEstimate(() => performance.now())
    const revisions: Revisions = new Map()
    const segments: Segment[] = []
    for (const some of slices(ids, POSTS_OF_SEGMENT)) {
      const docs = await readDocuments(context, some, lock, revisions)
      if (docs.length > 0) {
        const started = await startSegment(table, manifest)
        manifest = started.manifest
        segments.push(await writeDocuments(table, started.name, docs))
      }
      const read = some.at(-1) ?? 0
      context.progress.show(`Indexed ${read} of ${last} posts${left(read, last)}`)
    }
    await lock.renew()
    await swap(context, manifest, segments, revisions)
    return segments.reduce((sum, { added }) => sum + added, 0)
  } finally {
    await lock.release()
  }
}

/** A run of the index worker that began before the lock was taken can save no manifest from now on. */
async function stopRuns(table: Table): Promise<Manifest> {
  for (;;) {
    const { manifest } = await readIndexState(table)
    try {
      return await removeAbandoned(table, await saveManifest(table, manifest, manifest ?? NO_SEGMENTS))
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}

async function readDocuments(
  { target: { table } }: Pick<Context, 'target'>,
  ids: number[],
  lock: RebuildLock,
  revisions: Revisions,
): Promise<SearchDocument[]> {
  const docs: SearchDocument[] = []
  await mapConcurrently(slices(ids, POSTS_AT_ONCE), BATCHES_AT_ONCE, async some => {
    await lock.renew()
    for (const post of await findPostsToIndex(table, some)) {
      if ('problem' in post) {
        throw new OperatorError(
          `Post ${post.id} cannot be read, so it cannot be indexed. Run the doctor for details.`,
        )
      }
      const saved = await saveDocument(table, post)
      revisions.set(post.id, saved.revision)
      if (saved.doc) docs.push(saved.doc)
    }
  })
  return docs
}

async function writeDocuments(table: Table, name: string, docs: SearchDocument[]): Promise<Segment> {
  const entries = entriesOf(docs.map(after => ({ before: undefined, after })))
  return await writeSegment(table, name, entries, { added: docs.length, removed: 0 })
}

/** A change that came after its post was read stays pending. */
async function swap(
  { target: { table }, nowMs }: Pick<Context, 'target' | 'nowMs'>,
  before: Manifest,
  segments: Segment[],
  revisions: Revisions,
): Promise<void> {
  const { pending } = await readIndexState(table)
  const merged = new Map(pending.flatMap(post => mergedBy(post, revisions)))
  const replaced = {
    at_ms: nowMs,
    merged,
    segments: before.segments.map(({ name, items }) => ({ name, items })),
  }
  try {
    await saveManifest(table, before, { segments, obsolete: [...before.obsolete, replaced], building: [] })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw new OperatorError('Another process wrote the search index at the same time. Run the command again.')
  }
}

/** The revision of a pending post that the rebuild contains, if it contains a pending change of it. */
function mergedBy({ id, markers, merged }: PendingPost, revisions: Revisions): [number, number][] {
  const read = revisions.get(id)
  // A post that was not read was deleted before, if the old index had it, and else created after.
  if (read === undefined) return merged === undefined ? [] : [[id, Number.MAX_SAFE_INTEGER]]
  return markers.some(({ revision }) => revision <= read) ? [[id, read]] : []
}

const LOCKED_MS = 120_000
const RENEW_AFTER_MS = 20_000

type RebuildLock = {
  /** Call before each write. Throws OperatorError if the lock expired while the process was stopped. */
  renew: () => Promise<void>
  release: () => Promise<void>
}

/** Throws OperatorError while another holder has the lock, which expires if its process dies. */
async function acquireRebuildLock(table: Table, nowMs: number): Promise<RebuildLock> {
  const holder = randomUUID()
  const sinceMs = performance.now()
  let renewedMs = sinceMs
  const lockAt = (atMs: number) => {
    const atNowMs = Math.floor(nowMs + atMs - sinceMs)
    return { holder, nowMs: atNowMs, untilMs: atNowMs + LOCKED_MS }
  }
  if (!(await acquireLock(table, lockAt(sinceMs)))) {
    throw new OperatorError(
      'Another rebuild of the index is running, or was interrupted. Try again two minutes after it stopped.',
    )
  }
  const renew = async () => {
    const atMs = performance.now()
    if (atMs - renewedMs < RENEW_AFTER_MS) return
    if (!(await renewLock(table, lockAt(atMs)))) {
      throw new OperatorError('This rebuild was stopped for so long that its lock expired. Run it again.')
    }
    renewedMs = atMs
  }
  return { renew, release: () => releaseLock(table, holder) }
}
