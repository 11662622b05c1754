// Rebuilds the search index while the service runs. Changes stay pending until it ends: searches find them.
import { randomUUID } from 'node:crypto'
import type { Entry } from '../../../shared/search/entry.ts'
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
import { mergeEntries } from '../../../shared/search/merge-entries.ts'
import { needsPrefixes } from '../../../shared/search/merge-segments.ts'
import type { PendingPost } from '../../../shared/search/pending.ts'
import { removeAbandoned, startSegment, writeSegment } from '../../../shared/search/segment-writer.ts'
import { ConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently, slices } from '../../../shared/table/concurrency.ts'
import { lastId } from '../../../shared/table/next-id.ts'
import type { Context } from '../command.ts'
import { openEstimate } from '../estimate.ts'
import { OperatorError } from '../operator-error.ts'
import { findPostsToIndex, type PostToIndex, saveDocument } from './documents-of-posts.ts'
import { openSpill, type Spill } from './spill.ts'

/** What a reindex needs of the context of a command. */
export type ReindexContext = Pick<Context, 'nowMs'> & {
  target: Pick<Context['target'], 'table'>
  progress: Pick<Context['progress'], 'show'>
}

export type ReindexResult = { posts: number; terms: number; postings: number }

/** If it is interrupted, the index stays as it was. Throws OperatorError while another one is running. */
export async function reindex(context: ReindexContext): Promise<ReindexResult> {
  const { table } = context.target
  const lock = await acquireRebuildLock(table, context.nowMs)
  try {
    const before = await stopRuns(context)
    await using spill = await openSpill()
    const { revisions, posts } = await readPosts(context, spill, lock)
    const written = { posts, terms: 0, postings: 0 }
    const { manifest, name } = await startSegment(table, before)
    const segment = await writeAll(context, spill, lock, { name, written })
    await lock.renew()
    await swap(context, manifest, segment, revisions)
    return written
  } finally {
    await lock.release()
  }
}

/** A run of the index worker that began before the lock was taken can save no manifest from now on. */
async function stopRuns({ target: { table } }: ReindexContext): Promise<Manifest> {
  for (;;) {
    const { manifest } = await readIndexState(table)
    try {
      const saved = await saveManifest(table, manifest, manifest ?? NO_SEGMENTS)
      return saved.building ? await removeAbandoned(table, saved) : saved
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}

const POSTS_AT_ONCE = 30
const BATCHES_AT_ONCE = 4

/** By post id: the revision of which the new segment has the words, or of a post that is not public. */
type Revisions = Map<number, number>

/** The ids are those that were given to posts, so that no scan is needed. */
async function readPosts(
  { target: { table }, nowMs, progress }: ReindexContext,
  spill: Spill,
  lock: RebuildLock,
): Promise<{ revisions: Revisions; posts: number }> {
  const revisions: Revisions = new Map()
  const last = await lastId(table, 'post')
  const left = openEstimate(() => performance.now())
  let [read, posts] = [0, 0]
  const readOne = async (post: PostToIndex): Promise<void> => {
    const saved = await saveDocument(table, post, nowMs)
    revisions.set(post.id, saved.revision)
    if (!saved.doc) return
    posts++
    await spill.add(saved.doc)
  }
  const ids = slices(
    Array.from({ length: last }, (_, n) => n + 1),
    POSTS_AT_ONCE,
  )
  await mapConcurrently(ids, BATCHES_AT_ONCE, async some => {
    await lock.renew()
    for (const post of await findPostsToIndex(table, some)) {
      if ('problem' in post) throw unreadable(post.id)
      await readOne(post)
    }
    read += some.length
    progress.show(`Read the words of ${read} of ${last} posts${left(read, last)}`)
  })
  return { revisions, posts }
}

function unreadable(id: number): OperatorError {
  return new OperatorError(`Post ${id} cannot be read, so it cannot be indexed. Run the doctor for details.`)
}

async function writeAll(
  { target: { table }, progress }: ReindexContext,
  spill: Spill,
  lock: RebuildLock,
  { name, written }: { name: string; written: ReindexResult },
): Promise<Segment> {
  const inputs = await spill.read()
  const counted = async function* (): AsyncGenerator<Entry> {
    for await (const entry of mergeEntries(inputs, true)) {
      written.terms++
      written.postings += entry.plus.length
      if (written.terms % SHOWN_EVERY === 0) {
        await lock.renew()
        progress.show(`Wrote ${written.terms} terms, now: ${entry.term}`)
      }
      yield entry
    }
  }
  const counts = { added: written.posts, removed: 0, hasPrefixes: needsPrefixes(written.posts) }
  return await writeSegment(table, name, counted(), counts)
}

const SHOWN_EVERY = 500

/** A change that came after its post was read stays pending. */
async function swap(
  { target: { table }, nowMs }: ReindexContext,
  before: Manifest,
  segment: Segment,
  revisions: Revisions,
): Promise<void> {
  const { pending } = await readIndexState(table)
  const merged = new Map(pending.flatMap(post => mergedBy(post, revisions)))
  const segments = before.segments.map(({ name, items }) => ({ name, items }))
  try {
    await saveManifest(table, before, {
      segments: segment.added > 0 ? [segment] : [],
      obsolete: [...before.obsolete, { at_ms: nowMs, merged, segments }],
    })
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
