// Merges neighbouring segments into one. A large merge takes several runs, each from where the last paused.
import type { Table } from '../../table/client.ts'
import { addLeavings, type Manifest, type Segment } from '../manifest.ts'
import { needsPrefixes, segmentsToMerge } from '../merge-plan.ts'
import { type MergeInput, mergeEntries, postsAfterMerge } from '../segment-merge.ts'
import { entriesOfSegment, readPostsOfSegment } from '../store/segment-entries.ts'
import { saveManifest } from './save-manifest.ts'
import {
  type Build,
  findBuild,
  finishSegment,
  openWriter,
  saveBuild,
  startBuild,
  writeReady,
} from './write-segment.ts'

/** How often a merge that is longer saves how far it is. */
const PAUSE_AFTER_MS = 5_000
/** Each run does at least this much of it, however little time it has. */
const LEAST_ITEMS = 10

/** Returns the manifest after the merge, 'paused' if the time is over, or undefined without a merge. */
export async function mergeSegments(
  table: Table,
  manifest: Manifest,
  { nowMs, hasTime }: { nowMs: number; hasTime: () => boolean },
): Promise<Manifest | 'paused' | undefined> {
  const wanted = segmentsToMerge(manifest.segments)
  if (wanted.length === 0) return undefined
  const build = await findBuild(table, 'merge')
  const continued = build && inputsOf(manifest, build)
  const segments = continued ?? wanted
  const own = build && continued ? build : await startBuild(table, 'merge', namesOf(segments))
  const merged = await mergeInto(table, own, segments, isOldest(manifest, segments), hasTime)
  if (merged === 'paused') return 'paused'
  const at = manifest.segments.findIndex(({ name }) => name === segments[0]?.name)
  const left = merged.added + merged.removed > 0 ? [merged] : []
  const obsolete = [...segments, ...(left.length > 0 ? [] : [merged])].map(({ name, items }) => ({
    name,
    items,
  }))
  return await saveManifest(table, manifest, {
    segments: manifest.segments.toSpliced(at, segments.length, ...left),
    built: { ...manifest.built, merge: merged.name },
    leavings: addLeavings(manifest.leavings, { at_ms: nowMs, merged: new Map(), obsolete }),
  })
}

function namesOf(segments: Segment[]): string[] {
  return segments.map(({ name }) => name)
}

/** Undefined if the build is no merge, or if its inputs were merged in another way. */
export function inputsOf({ segments }: Manifest, { inputs }: Build): Segment[] | undefined {
  const at = segments.findIndex(({ name }) => name === inputs[0])
  const found = at < 0 ? [] : segments.slice(at, at + inputs.length)
  return found.length > 0 && namesOf(found).join() === inputs.join() ? found : undefined
}

function isOldest(manifest: Manifest, [first]: Segment[]): boolean {
  return manifest.segments[0]?.name === first?.name
}

async function mergeInto(
  table: Table,
  build: Build,
  segments: Segment[],
  isOldest: boolean,
  hasTime: () => boolean,
): Promise<Segment | 'paused'> {
  const posts = await Promise.all(segments.map(segment => readPostsOfSegment(table, segment)))
  const inputs = segments.map(
    (segment, n): MergeInput => ({
      entries: entriesOfSegment(table, segment, build.term),
      posts: posts[n] ?? { added: new Set(), removed: new Set() },
    }),
  )
  const { added, removed } = postsAfterMerge(posts, isOldest)
  const counts = {
    added: added.size,
    removed: removed.size,
    hasPrefixes: needsPrefixes(added.size + removed.size),
  }
  const writer = await openWriter(table, build, counts.hasPrefixes)
  let [pausedMs, saved] = [performance.now(), build.items]
  for await (const entry of mergeEntries(inputs, isOldest)) {
    const isLong = performance.now() - pausedMs > PAUSE_AFTER_MS || !hasTime()
    const state = isLong && writer.count() >= saved + LEAST_ITEMS ? writer.pauseBefore(entry.term) : undefined
    if (state) {
      await writeReady(table, build.name, writer, 1)
      await saveBuild(table, 'merge', { ...build, ...state, term: entry.term })
      if (!hasTime()) return 'paused'
      pausedMs = performance.now()
      saved = state.items
    }
    writer.add(entry)
    await writeReady(table, build.name, writer)
  }
  return await finishSegment(table, build.name, writer, counts)
}
