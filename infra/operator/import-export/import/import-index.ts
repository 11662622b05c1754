// Brings the search index up to date during an import: many posts become one segment, and not hundreds.
import { createHash } from 'node:crypto'
import { cleanUp } from '../../../../shared/search/commands/clean-up.ts'
import { type MergeContext, mergePending } from '../../../../shared/search/commands/merge-pending.ts'
import { mergeSegments } from '../../../../shared/search/commands/merge-segments.ts'
import { saveManifest } from '../../../../shared/search/commands/save-manifest.ts'
import { startBuild, writeSegment } from '../../../../shared/search/commands/write-segment.ts'
import type { SearchDocument } from '../../../../shared/search/document.ts'
import type { Entry } from '../../../../shared/search/entry.ts'
import { addLeavings, type Manifest } from '../../../../shared/search/manifest.ts'
import { needsPrefixes } from '../../../../shared/search/merge-plan.ts'
import { mergeEntries } from '../../../../shared/search/segment-merge.ts'
import {
  emptyManifest,
  type IndexState,
  readIndexState,
} from '../../../../shared/search/store/index-state.ts'
import { ConditionFailed } from '../../../../shared/table/action.ts'
import { acquireRebuildLock, type RebuildLock } from '../../reindex/rebuild-lock.ts'
import { stopRuns } from '../../reindex/reindex.ts'
import { openSpill, type Spill } from '../../reindex/spill.ts'
import type { ImportJob } from './job.ts'

export type ImportIndex = {
  /** After the post was written at revision 1. */
  add: (id: number, doc: SearchDocument | undefined) => Promise<void>
  /** Ends when no post is pending. */
  finish: () => Promise<void>
  close: () => Promise<void>
}

/** As many markers are read at once. The segments of 100,000 posts are too few to be merged. */
const POSTS_AT_ONCE = 15_000
const REVISION = 1
const MAX_TRIES = 10

export function openImportIndex(job: ImportJob): ImportIndex {
  const { table, context } = job
  const merging = (): MergeContext => ({ table, nowMs: job.nowMs(), log: () => undefined })
  let lock: RebuildLock | undefined
  let spill: Spill | undefined
  let added = new Set<number>()

  /** Keeps the index worker away, which would merge the same posts in small steps. */
  const acquire = async (): Promise<RebuildLock> => {
    if (lock) return lock
    const holder = `import ${createHash('sha256').update(job.source.name).digest('hex').slice(0, 16)}`
    lock = await acquireRebuildLock(table, job.nowMs(), holder)
    await stopRuns({ target: { table }, nowMs: job.nowMs(), progress: context.progress })
    return lock
  }

  const add = async (id: number, doc: SearchDocument | undefined): Promise<void> => {
    await (await acquire()).renew()
    if (!doc) return
    spill ??= await openSpill()
    await spill.add(doc)
    added.add(id)
    if (added.size >= POSTS_AT_ONCE) await flush()
  }

  const flush = async (): Promise<void> => {
    if (!spill) return
    context.progress.show(`Indexing ${added.size} posts`)
    await mergeAdded(merging(), spill, added)
    await spill[Symbol.asyncDispose]()
    spill = undefined
    added = new Set()
    await mergeTiers(merging())
  }

  const finish = async (): Promise<void> => {
    await flush()
    const { pending } = await readIndexState(table)
    if (pending.length === 0) return
    await (await acquire()).renew()
    await mergeRest(merging, async left => {
      await lock?.renew()
      context.progress.show(`Indexing, ${left} posts left`)
    })
  }

  const close = async (): Promise<void> => {
    await spill?.[Symbol.asyncDispose]()
    await lock?.release()
  }
  return { add, finish, close }
}

/** Writes one segment of all posts in the spill that nothing has changed since. The others stay pending. */
async function mergeAdded({ table, nowMs }: MergeContext, spill: Spill, added: Set<number>): Promise<void> {
  const state = await readIndexState(table)
  const isNew = ({ newest, merged }: IndexState['pending'][number]) =>
    added.has(newest.id) && newest.revision === REVISION && merged === undefined
  const ids = new Set(state.pending.filter(isNew).map(({ id }) => id))
  if (ids.size === 0) return
  const leavings = await cleanUp(table, state, { nowMs, hasTime: () => true })
  const before: Manifest = state.manifest ?? emptyManifest()
  const inputs = await spill.read()
  const { name } = await startBuild(table, 'pending', [])
  const counts = { added: ids.size, removed: 0, hasPrefixes: needsPrefixes(ids.size) }
  const segment = await writeSegment(table, name, only(ids, mergeEntries(inputs, true)), counts)
  const merged = new Map([...ids].map(id => [id, REVISION]))
  await saveManifest(table, state.manifest, {
    segments: [...before.segments, segment],
    built: { ...before.built, pending: name },
    leavings: addLeavings(leavings ?? before.leavings, { at_ms: nowMs, merged, obsolete: [] }),
  }).catch(error => {
    // Another run saved the manifest first: the posts stay pending, and are merged at the end.
    if (!(error instanceof ConditionFailed)) throw error
  })
}

async function* only(ids: Set<number>, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const { term, plus, minus } of entries) {
    const kept = plus.filter(({ id }) => ids.has(id))
    if (kept.length > 0) yield { term, plus: kept, minus }
  }
}

async function mergeTiers({ table, nowMs }: MergeContext): Promise<void> {
  await ignoringConflict(async () => {
    for (;;) {
      const { manifest } = await readIndexState(table)
      if (!manifest || !(await mergeSegments(table, manifest, { nowMs, hasTime: () => true }))) return
    }
  })
}

/** Posts of an interrupted import, posts that others wrote during it, and those with very long texts. */
async function mergeRest(
  contextNow: () => MergeContext,
  onStep: (left: number) => Promise<void>,
): Promise<void> {
  let tries = 0
  for (;;) {
    const { table } = contextNow()
    const state = await readIndexState(table)
    if (state.pending.length === 0 || tries === MAX_TRIES) break
    await onStep(state.pending.length)
    const manifest = await ignoringConflict(() => mergePending(contextNow(), state))
    tries = manifest ? 0 : tries + 1
  }
  await mergeTiers(contextNow())
}

async function ignoringConflict<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined
    throw error
  }
}
