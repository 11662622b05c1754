// Which segments are merged.
import { describe, expect, it } from 'vitest'
import type { Segment } from '../../shared/search/manifest.ts'
import { FEW_SEGMENTS, segmentsToMerge } from '../../shared/search/merge-segments.ts'

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
  it('returns none of a burst of a thousand posts, which has few segments', () => {
    const burst = Array.from({ length: FEW_SEGMENTS }, () => segment(75))
    expect(segmentsToMerge(burst)).toEqual([])
    expect(segmentsToMerge([...burst, segment(75)]).length).toBe(FEW_SEGMENTS + 1)
  })

  it('leaves no small segment between large ones', () => {
    const all = segmentsOf(...Array.from({ length: FEW_SEGMENTS }, (_, n) => (n % 3 === 0 ? 2 : 90)), 90)
    expect(segmentsToMerge(all)).toEqual(all)
  })

  it('returns all, however few, if a third of their postings belongs to removed posts', () => {
    const all = [segment(10), segment(2, 7)]
    expect(segmentsToMerge(all)).toEqual(all)
  })

  it('leaves the largest segments as they are, since a run has not the time for eight of them', () => {
    const largest = segmentsOf(...Array.from({ length: FEW_SEGMENTS + 1 }, () => 40_000))
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
