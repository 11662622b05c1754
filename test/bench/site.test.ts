// The generated site is the same every time and has its promised shape; a plain scan finds its planted words.
import { describe, expect, it } from 'vitest'
import { LOADED_AT } from './load.ts'
import { openSite, PLANTED, type Site, type SitePost } from './site.ts'

/** Each word must begin a word of the post; `category` is the id of one of its categories. */
type SearchCase = { words: string[]; category?: number; type?: 'post' | 'page' }

/** Whether the post is in public view: published, with a date in the past. */
function isPublic({ input }: SitePost, nowSeconds: number): boolean {
  return input.is_published && input.posted_at <= nowSeconds
}

/** For each search, the ids of the matching posts and pages in public view, in one pass over the site. */
function scanFor(site: Site, cases: SearchCase[], nowSeconds: number): Set<number>[] {
  const found = cases.map(() => new Set<number>())
  for (let id = 1; id <= site.count; id++) {
    const post = site.post(id)
    if (!isPublic(post, nowSeconds)) continue
    for (const [n, search] of cases.entries()) if (matches(post, search)) found[n]?.add(id)
  }
  return found
}

function matches({ words, input }: SitePost, search: SearchCase): boolean {
  return (
    (search.type === undefined || input.content_type === search.type) &&
    (search.category === undefined || input.category_ids.includes(search.category)) &&
    search.words.every(beginning => words.some(word => word.startsWith(beginning)))
  )
}

const COUNT = 2_000
const site = openSite({ count: COUNT, seed: 1 })
const all = Array.from({ length: COUNT }, (_, n) => site.post(n + 1))
const shown = all.filter(post => isPublic(post, LOADED_AT))

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
    const cases: Record<string, SearchCase> = {
      rare: { words: [rare[0]] },
      beginning: { words: [rare[2].slice(0, 4)] },
      half: { words: [half] },
      one: { words: [pair[0]] },
      other: { words: [pair[1]] },
      both: { words: [...pair] },
      prefix: { words: [prefix] },
      inFirst: { words: [prefix], category: 1 },
    }
    const found = scanFor(site, Object.values(cases), LOADED_AT).map(ids => ids.size)
    const sizes = Object.fromEntries(Object.keys(cases).map((name, n) => [name, found[n] ?? 0]))
    expect(sizes).toMatchObject({ rare: 3, beginning: 3, both: Math.ceil(COUNT / 400) })
    const shares = { half: 1 / 2, one: 1 / 20, other: 1 / 20, prefix: 1 / 50 }
    for (const [name, share] of Object.entries(shares)) {
      expect(Math.abs((sizes[name] ?? 0) / shown.length / share - 1), name).toBeLessThan(0.25)
    }
    expect(sizes.inFirst).toBeLessThan(sizes.prefix ?? 0)
    expect(sizes.inFirst).toBeGreaterThan(0)
  })
})
