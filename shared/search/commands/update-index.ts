// One run of the index worker: cleans up, merges pending posts into a new segment, and merges segments.
import { ConditionFailed } from '../../table/action.ts'
import { startDeadline } from '../../table/retrying.ts'
import type { Manifest } from '../manifest.ts'
import { segmentsToMerge } from '../merge-plan.ts'
import { postsToMerge } from '../pending.ts'
import { type IndexState, readIndexState } from '../store/index-state.ts'
import { cleanUp, hasLeavings } from './clean-up.ts'
import { type MergeContext, mergePending, postsOfStep } from './merge-pending.ts'
import { mergeSegments } from './merge-segments.ts'
import { removeAbandoned } from './remove-abandoned.ts'
import { saveManifest } from './save-manifest.ts'

const RUN_MS = 25_000
const MAX_TRIES = 3

type HasTime = () => boolean

/** Returns 'paused' if there is more to do than a run has time for. */
export async function updateIndex(context: MergeContext, runMs = RUN_MS): Promise<'done' | 'paused'> {
  const hasTime = startDeadline(runMs)
  for (let tries = 1; ; tries++) {
    try {
      return await tryToUpdate(context, hasTime)
    } catch (error) {
      // Another run, or a rebuild, saved the manifest first.
      if (!(error instanceof ConditionFailed) || tries === MAX_TRIES) throw error
    }
  }
}

async function tryToUpdate(context: MergeContext, hasTime: HasTime): Promise<'done' | 'paused'> {
  const { table, nowMs } = context
  const state = await readIndexState(table)
  if (state.lock && state.lock.until_ms > nowMs) return 'done'
  const pending = context.mayWait ? postsToMerge(state.pending, nowMs) : state.pending
  // Most messages find that an earlier run has done their work: one read is all that they cost.
  if (!hasWork({ ...state, pending }, nowMs)) return 'done'
  const manifest = await removeAbandoned(table, state.manifest, { keepsMerge: true })
  const updated = await updateOnce(context, { ...state, pending, manifest }, hasTime)
  if (updated.isMerged && pending.length > postsOfStep(pending).length) {
    return hasTime() ? await tryToUpdate(context, hasTime) : 'paused'
  }
  return updated.manifest ? await mergeAll(context, updated.manifest, hasTime) : 'done'
}

function hasWork(state: IndexState, nowMs: number): boolean {
  const { manifest, pending } = state
  return (
    pending.length > 0 || hasLeavings(manifest, nowMs) || segmentsToMerge(manifest?.segments ?? []).length > 0
  )
}

type Updated = { manifest: Manifest | undefined; isMerged: boolean }

/** Cleans up, and merges pending posts. */
async function updateOnce(context: MergeContext, state: IndexState, hasTime: HasTime): Promise<Updated> {
  const { table, nowMs } = context
  const leavings = await cleanUp(table, state, { nowMs, hasTime })
  const manifest = leavings && state.manifest ? { ...state.manifest, leavings } : state.manifest
  const merged = await mergePending(context, { ...state, manifest })
  if (merged) return { manifest: merged, isMerged: true }
  if (!manifest || !leavings) return { manifest, isMerged: false }
  return { manifest: await saveManifest(table, manifest, manifest), isMerged: false }
}

/** Merges segments until no tier has too many. */
async function mergeAll({ table, nowMs }: MergeContext, first: Manifest, hasTime: HasTime) {
  for (let manifest = first; ; ) {
    const merged = await mergeSegments(table, manifest, { nowMs, hasTime })
    if (!merged) return 'done'
    if (merged === 'paused') return 'paused'
    manifest = merged
  }
}
