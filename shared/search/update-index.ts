// A run of the index worker: deletes what earlier runs left, merges pending posts into a new segment, and
// merges segments, until nothing is left to do. It may be killed after any step.
import { requireSent, type Sender } from '../events/sqs.ts'
import { measure } from '../metrics/tally.ts'
import { ConditionFailed } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { slices } from '../table/concurrency.ts'
import { markerKey, replacedDocKey } from '../table/design.ts'
import { INDEX_MESSAGE } from './index-actions.ts'
import { type IndexState, KEPT_MS, readIndexState } from './index-state.ts'
import { type Manifest, mergedRevisions, saveManifest } from './manifest.ts'
import { type MergeRun, mergePending, postsOfStep } from './merge-pending.ts'
import { mergeSegments, segmentsToMerge } from './merge-segments.ts'
import { canWait, type Marker } from './pending.ts'
import { removeAbandoned, removeSegment } from './segment-writer.ts'

const MAX_CONFLICTS = 3

/** `mayWait`: a few additions may wait for more, because one merge of many costs less than several. */
type UpdateContext = MergeRun & { mayWait?: boolean }

/** Throws ConditionFailed if another run, or a rebuild, saves the manifest first each time. */
export async function updateIndex(context: UpdateContext): Promise<void> {
  for (let conflicts = 0; ; ) {
    try {
      if (!(await takeStep(context))) return
    } catch (error) {
      if (!(error instanceof ConditionFailed) || ++conflicts === MAX_CONFLICTS) throw error
    }
  }
}

/** Returns whether there may be more to do. */
async function takeStep(run: UpdateContext): Promise<boolean> {
  const { table } = run
  const nowMs = run.clock()
  const state = await readIndexState(table)
  if (state.lock && state.lock.until_ms > nowMs) return false
  const pending = run.mayWait && canWait(state.pending, nowMs) ? [] : state.pending
  const intact = state.manifest && (await removeAbandoned(table, state.manifest))
  const cleaned = intact && (await cleanUp(table, intact, state, nowMs))
  const merged = pending.length > 0 ? await mergePending(run, cleaned, pending) : undefined
  if (merged && pending.length > postsOfStep(pending).length) return true
  const manifest = merged ?? cleaned
  const segments = segmentsToMerge(manifest?.segments ?? [])
  if (manifest && segments.length > 0) {
    await mergeSegments(run, manifest, segments)
    return true
  }
  if (cleaned && cleaned !== intact && !merged) await saveManifest(table, cleaned, cleaned)
  return false
}

/** Deletes what no search can read any more. Returns the manifest without it, which is not saved yet. */
async function cleanUp(
  table: Table,
  manifest: Manifest,
  { markers }: Pick<IndexState, 'markers'>,
  nowMs: number,
): Promise<Manifest> {
  const old = manifest.obsolete.filter(({ at_ms }) => nowMs - at_ms >= KEPT_MS)
  if (old.length === 0) return manifest
  const merged = mergedRevisions(old)
  await removeMarkers(
    table,
    markers.filter(({ id, revision }) => revision <= (merged.get(id) ?? 0)),
  )
  for (const segment of old.flatMap(({ segments }) => segments)) await removeSegment(table, segment)
  return { ...manifest, obsolete: manifest.obsolete.filter(one => !old.includes(one)) }
}

const MARKERS_AT_ONCE = 500

async function removeMarkers(table: Table, markers: Marker[]): Promise<void> {
  const replaced = markers.flatMap(({ id, previous }) =>
    previous === undefined ? [] : [replacedDocKey(id, previous)],
  )
  await table.removeMany(replaced)
  // A rebuild leaves thousands. Sent together, the last ones would wait longer than a call may take.
  for (const some of slices(markers, MARKERS_AT_ONCE)) {
    await table.removeMany(some.map(({ id, revision }) => markerKey(id, revision)))
  }
}

/**
 * For the sweep: sends the worker a message if there is work. The message of a change may have been lost, and
 * what a run replaced can be deleted only some seconds later.
 */
export async function wakeIndexWorker({ table, sender }: { table: Table; sender: Sender }): Promise<void> {
  const { manifest, markers, pending } = await readIndexState(table)
  measure('IndexPending', pending.length)
  if (markers.length === 0 && !manifest?.obsolete.length && !manifest?.building.length) return
  requireSent(await sender.send([INDEX_MESSAGE]), 'messages for the index worker')
}
