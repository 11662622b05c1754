// Which segments are merged, and which have terms of prefixes. No I/O.
import type { Segment } from './manifest.ts'

/** Searches cost by the number of segments, and writes by the number of times that a post is merged. */
const MERGED_AT_ONCE = 8
/** An index with no more segments is left as it is. Of 100,000 posts it has about 12, and edits add some. */
export const FEW_SEGMENTS = 16

/**
 * The segments to merge next: neighbours of about the same size. A segment counts as large as the largest of
 * the newer ones, so that no small one is left between large ones.
 */
export function segmentsToMerge(segments: Segment[]): Segment[] {
  const [added, removed] = [sum(segments, 'added'), sum(segments, 'removed')]
  if (removed > added * MAX_REMOVED) return segments
  if (segments.length <= FEW_SEGMENTS) return []
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
  return tiers.find(tier => tier.segments.length >= MERGED_AT_ONCE)?.segments ?? []
}

/** With a larger share of removed posts, all segments are merged: what is removed costs reads until then. */
const MAX_REMOVED = 0.5

function sum(segments: Segment[], what: 'added' | 'removed'): number {
  return segments.reduce((all, segment) => all + segment[what], 0)
}

function levelOf({ added, removed }: Segment): number {
  return Math.floor(Math.log(Math.max(1, added + removed)) / Math.log(MERGED_AT_ONCE))
}

/** Segments with fewer posts need none: the pages of a range are few. */
const MIN_PREFIXED = 256

export function needsPrefixes(posts: number): boolean {
  return posts >= MIN_PREFIXED
}
