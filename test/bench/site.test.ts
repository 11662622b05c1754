// The generated site is the same every time and has its promised shape; a plain scan finds its planted words.
import { describe, expect, it } from 'vitest'
import { LOADED_AT } from './load.ts'
import { openSite, PLANTED } from './site.ts'

const COUNT = 2_000
const site = openSite({ count: COUNT, seed: 1 })
const all = Array.from({ length: COUNT }, (_, n) => site.post(n + 1))
/** In public view: published, with a date in the past. */
const shown = all.filter(({ input }) => input.is_published && input.posted_at <= LOADED_AT)

/** How many of them have words that begin so, and a category. */
function countOf(beginnings: readonly string[], category?: number): number {
  return shown.filter(
    ({ words, input }) =>
      (category === undefined || input.category_ids.includes(category)) &&
      beginnings.every(beginning => words.some(word => word.startsWith(beginning))),
  ).length
}

describe('openSite', () => {
  it('generates the same site for the same seed and another one for another seed', () => {
    expect(openSite({ count: COUNT, seed: 1 }).post(77)).toEqual(site.post(77))
    expect(openSite({ count: COUNT, seed: 2 }).post(77).input.title).not.toBe(site.post(77).input.title)
  })

  it('generates ordered dates of ten years, a third of them on one day', () => {
    const days = Map.groupBy(shown, ({ input }) => Math.floor(input.posted_at / 86_400))
    const sizes = [...days.values()].map(({ length }) => length).sort((a, b) => b - a)
    expect((sizes[0] ?? 0) / shown.length).toBeCloseTo(1 / 3, 2)
    expect(sizes[1]).toBeLessThan(10)
    const dates = shown.map(({ input }) => input.posted_at)
    expect(dates).toEqual(dates.toSorted((a, b) => a - b))
  })

  it('generates texts with the frequencies of a language: one word is everywhere, most words are rare', () => {
    const holders = new Map<string, number>()
    for (const { words } of all) {
      for (const word of new Set(words)) holders.set(word, (holders.get(word) ?? 0) + 1)
    }
    const counts = [...holders.values()].sort((a, b) => b - a)
    expect(counts[0]).toBeGreaterThan(COUNT * 0.9)
    expect(counts[counts.length >> 1]).toBeLessThan(COUNT / 100)
  })

  it('plants words in the promised number of posts, where a scan finds them by beginnings and by category', () => {
    const { rare, half, pair, prefix } = PLANTED
    for (const word of rare) expect([countOf([word]), countOf([word.slice(0, 4)])]).toEqual([3, 3])
    expect(countOf(pair)).toBe(Math.ceil(COUNT / 400))
    const shares: [string, number][] = [
      [half, 1 / 2],
      [pair[0], 1 / 20],
      [pair[1], 1 / 20],
      [prefix, 1 / 50],
    ]
    for (const [word, share] of shares) {
      expect(Math.abs(countOf([word]) / shown.length / share - 1), word).toBeLessThan(0.25)
    }
    expect(countOf([prefix], 1)).toBeLessThan(countOf([prefix]))
    expect(countOf([prefix], 1)).toBeGreaterThan(0)
  })
})
