// A page of a union is found among few children of each list, however the lists are distributed.
import { describe, expect, it } from 'vitest'
import { type Bounded, windowOf } from '../../shared/lists/union-window.ts'
import { keyOf } from './list-world.ts'

/** Children of `size` keys each, with every `step`th key. */
function childrenOf(from: number, until: number, size: number, step = 1): Bounded[] {
  const starts = Array.from(
    { length: Math.ceil((until - from) / (size * step)) },
    (_, n) => from + n * size * step,
  )
  return starts.map((start, n) => {
    const next = starts[n + 1]
    return {
      from: n === 0 ? '' : keyOf(start),
      until: next === undefined ? '' : keyOf(next),
      count: Math.ceil(((next ?? until) - start) / step),
    }
  })
}

const SIZE = 10
const COUNT = 12
const CASES: { what: string; lists: Bounded[][] }[] = [
  { what: 'one list', lists: [childrenOf(0, 3000, SIZE)] },
  { what: 'a list and an empty one', lists: [childrenOf(0, 3000, SIZE), []] },
  { what: 'equal shares', lists: [childrenOf(0, 3000, SIZE, 2), childrenOf(1, 3000, SIZE, 2)] },
  { what: 'one entry in a hundred', lists: [childrenOf(0, 3000, SIZE), childrenOf(5, 3000, SIZE, 100)] },
  { what: 'one after the other', lists: [childrenOf(0, 1500, SIZE), childrenOf(1500, 3000, SIZE)] },
]

describe('the window of a page', () => {
  it.each(CASES)('skips fewer entries than two children have, and keeps few children: $what', ({ lists }) => {
    const total = lists.flat().reduce((sum, { count }) => sum + count, 0)
    for (let offset = 0; offset < total; offset += 7) {
      const window = windowOf(lists, offset, COUNT)
      expect(window.skip).toBeGreaterThanOrEqual(0)
      expect(window.skip).toBeLessThan(2 * SIZE)
      for (const children of window.lists) expect(children.length).toBeLessThanOrEqual(6)
    }
  })
})
