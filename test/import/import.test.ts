// Tests an import from another system: every post comes back byte for byte, and its event is delivered once.
import { describe, expect, it, onTestFinished } from 'vitest'
import { noise } from '../world/noise.ts'
import { until } from '../world/until.ts'
import { openWorld, type World } from '../world/world.ts'
import { checkPosts } from './check-posts.ts'
import { openClient } from './client.ts'
import { importPosts } from './import-posts.ts'
import { openListener } from './listener.ts'
import { prove } from './prove.ts'
import type { SourcePost } from './source.ts'

async function start(): Promise<World> {
  const world = await openWorld()
  onTestFinished(world.stop)
  return world
}

/** Six posts per second, so that ids decide the order; some slugs in other scripts; the last post in 2999. */
function generated(count: number): SourcePost[] {
  return Array.from({ length: count }, (_, n) => ({
    title: `Post ${n} — 東京 🚀`,
    slug: `post-${n}${n % 7 === 0 ? '-été-東京' : ''}`,
    category: ['News', 'Guides', 'Été'][n % 3] ?? '',
    posted_at: new Date(Date.UTC(n === count - 1 ? 2999 : 2020, 0, 1, 0, 0, Math.floor(n / 6))).toISOString(),
    body: `<p>Line\r\n&amp; “${n}” \u2028 🚀</p>`,
  }))
}

describe('an import', () => {
  it('can be read back in order, with exact totals, and delivers each event once', async () => {
    const world = await start()
    const posts = generated(40)
    // Hardly compressible bodies are stored in chunks, and five of them do not fit one answer.
    for (const post of posts.slice(0, 5)) post.body = `<p>${noise(1_200_000)}</p>`

    const { problems, halved } = await prove(posts, { baseUrl: world.baseUrl, token: world.admin })

    expect(problems).toEqual([])
    expect(halved).toBeGreaterThan(0)
  })

  it('continues after a break when it is repeated, without duplicate posts or events', async () => {
    const world = await start()
    const client = openClient(world.baseUrl, world.admin)
    const listener = await openListener(client)
    onTestFinished(listener.close)
    const posts = generated(30)
    const breaksOff = (_slug: string, done: number) => {
      if (done >= 9) throw new Error('broken off')
    }

    await expect(importPosts(client, posts, breaksOff)).rejects.toThrow('broken off')
    await importPosts(client, posts, () => {})
    const categorySlugs = await importPosts(client, posts, () => {})

    const { problems } = await checkPosts(client, posts, categorySlugs)
    expect([...problems, ...listener.problems]).toEqual([])
    await until('a delivery of each', async () => (await listener.counts()).total_deliveries >= 29)
    const slugs = listener.received.map(({ slug }) => slug)
    expect(slugs.toSorted()).toEqual(
      posts
        .slice(0, 29)
        .map(({ slug }) => slug)
        .toSorted(),
    )
  })
})
