// An import as another system's users would run it: what goes in comes back byte for byte and is told once.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../world/world.ts'
import { prove } from './prove.ts'
import type { SourcePost } from './source.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

/** Six in every second, so that the order of ids counts; some in any script; one still to come. */
const generated = (count: number): SourcePost[] =>
  Array.from({ length: count }, (_, n) => ({
    title: `Post ${n} — 東京 🚀`,
    slug: `post-${n}${n % 7 === 0 ? '-été-東京' : ''}`,
    category: ['News', 'Guides', 'Été'][n % 3] ?? '',
    posted_at: new Date(Date.UTC(2020, 0, 1, 0, 0, Math.floor(n / 6))).toISOString(),
    body: `<p>Line\r\n&amp; “${n}” \u2028 🚀</p>`,
  }))

describe('an import', () => {
  it('is read back whole, in order and with exact totals, and heard of exactly once', async () => {
    const posts = generated(40)
    // Hardly to be compressed, so it is kept in parts; four of them do not fit one answer together.
    for (const post of posts.slice(0, 5)) post.body = `<p>${randomBytes(900_000).toString('base64')}</p>`

    const { problems, halved } = await prove(posts, { baseUrl: world.baseUrl, token: world.admin })

    expect(problems).toEqual([])
    expect(halved).toBeGreaterThan(0)
  })
})
