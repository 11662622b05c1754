// Which segments are merged.
import { describe, expect, it } from 'vitest'
import type { Segment } from '../../shared/search/manifest.ts'
import { MERGED_AT_ONCE, segmentsToMerge } from '../../shared/search/merge-segments.ts'

function segment(added: number, removed = 0): Segment {
  return { name: `${added}`, items: added, hasIndex: true, added, removed }
}

function segmentsOf(...sizes: number[]): Segment[] {
  return sizes.map(size => segment(size))
}

/** Adds segments one by one. Returns the most that there were, and how often a post was merged. */
function mergeEach(count: number, size: number) {
  let segments: Segment[] = []
  let [merged, most] = [0, 0]
  for (let n = 0; n < count; n++) {
    segments.push(segment(size))
    for (;;) {
      const some = segmentsToMerge(segments)
      const [first] = some
      if (!first) break
      const posts = some.reduce((sum, { added }) => sum + added, 0)
      segments = segments.toSpliced(segments.indexOf(first), some.length, segment(posts))
      merged += posts
    }
    most = Math.max(most, segments.length)
  }
  return { most, times: merged / (count * size) }
}

describe('segmentsToMerge', () => {
  it('returns neighbours of about the same size once there are eight', () => {
    const some = segmentsOf(...Array.from({ length: MERGED_AT_ONCE - 1 }, () => 75))
    expect(segmentsToMerge(some)).toEqual([])
    expect(segmentsToMerge([segment(5_000), ...some, segment(100)])).toEqual([...some, segment(100)])
  })

  it('leaves no small segment between large ones', () => {
    const all = segmentsOf(...Array.from({ length: MERGED_AT_ONCE }, (_, n) => (n % 3 === 0 ? 2 : 90)), 90)
    expect(segmentsToMerge(all)).toEqual(all)
  })

  it('returns all, however few, if a third of their postings belongs to removed posts', () => {
    const all = [segment(10), segment(2, 7)]
    expect(segmentsToMerge(all)).toEqual(all)
  })

  it('leaves the largest segments as they are, since a run has not the time for eight of them', () => {
    const largest = segmentsOf(...Array.from({ length: MERGED_AT_ONCE + 1 }, () => 40_000))
    expect(segmentsToMerge(largest)).toEqual([])
    const small = segmentsOf(...Array.from({ length: 8 }, () => 3))
    expect(segmentsToMerge([...largest, ...small])).toEqual(small)
  })

  it('bounds the segments of 100,000 posts and merges each post at most three times', () => {
    for (const size of [75, 250]) {
      const { most, times } = mergeEach(100_000 / size, size)
      expect(most).toBeLessThanOrEqual(24)
      expect(times).toBeLessThanOrEqual(3)
    }
  })
})
