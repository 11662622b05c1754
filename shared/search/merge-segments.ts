// Merges neighbouring segments into one: which of them, and how.
import { type Manifest, type Segment, saveManifest } from './manifest.ts'
import { mergeEntries } from './merge-entries.ts'
import type { MergeRun } from './merge-pending.ts'
import { entriesOfSegment } from './segment-reader.ts'
import { removeSegment, startSegment, writeSegment } from './segment-writer.ts'

/** Searches cost by the number of segments, and writes by the number of times that a post is merged. */
export const MERGED_AT_ONCE = 8

/**
 * The segments to merge next: neighbours of about the same size. A segment counts as large as the largest of
 * the newer ones, so that no small one is left between large ones.
 */
export function segmentsToMerge(segments: Segment[]): Segment[] {
  const [added, removed] = [sum(segments, 'added'), sum(segments, 'removed')]
  if (removed > added * MAX_REMOVED) return segments
  let level = 0
  const tiers: { level: number; segments: Segment[] }[] = []
  for (const segment of segments.toReversed()) {
    level = Math.max(level, levelOf(segment))
    const newer = tiers.at(-1)
    if (newer?.level === level) {
      newer.segments.unshift(segment)
    } else {
      tiers.push({ level, segments: [segment] })
    }
  }
  const full = tiers.find(tier => tier.level < LARGEST_LEVEL && tier.segments.length >= MERGED_AT_ONCE)
  return full?.segments ?? []
}

/** Segments of 32,768 posts and more are left as they are: a run has not the time for eight of them. */
const LARGEST_LEVEL = 5

/** With a larger share of removed posts, all segments are merged: what is removed costs reads until then. */
const MAX_REMOVED = 0.5

function sum(segments: Segment[], what: 'added' | 'removed'): number {
  return segments.reduce((total, segment) => total + segment[what], 0)
}

function levelOf({ added, removed }: Segment): number {
  return Math.floor(Math.log(Math.max(1, added + removed)) / Math.log(MERGED_AT_ONCE))
}

/** Merges these segments, from `segmentsToMerge`, to the end. */
export async function mergeSegments(
  { table, clock }: MergeRun,
  before: Manifest,
  segments: Segment[],
): Promise<void> {
  const { manifest, name } = await startSegment(table, before)
  const at = manifest.segments.findIndex(one => one.name === segments[0]?.name)
  const inputs = segments.map(segment => entriesOfSegment(table, segment))
  const merged = await writeSegment(table, name, mergeEntries(inputs, at === 0))
  // It has no posts if the newer segments remove all of the older ones.
  const isEmpty = merged.added + merged.removed === 0
  if (isEmpty) await removeSegment(table, merged)
  await saveManifest(table, manifest, {
    segments: manifest.segments.toSpliced(at, segments.length, ...(isEmpty ? [] : [merged])),
    obsolete: [...manifest.obsolete, { at_ms: clock(), merged: new Map(), segments }],
    building: [],
  })
}
