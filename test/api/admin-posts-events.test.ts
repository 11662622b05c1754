// The events that a post fires from its creation to its deletion.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

type Step = 'publish' | 'unpublish' | 'delete' | Record<string, unknown>
const ACTIONS = {
  publish: adminPosts.publishPost,
  unpublish: adminPosts.unpublishPost,
  delete: adminPosts.deletePost,
}

function take(id: number, step: Step) {
  const request = { token: world.admin, params: { id } }
  return typeof step === 'string'
    ? world.call<typeof adminPosts.publishPost.data | typeof adminPosts.deletePost.data>(
        ACTIONS[step],
        request,
      )
    : world.call(adminPosts.changePost, { ...request, body: step })
}

describe('a post', () => {
  it('fires events with exactly the members of the catalogue, and the time of the change', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const startedMs = Date.now() - 1_000
    const { id, posted_at } = await world.create.livePost({ title: 'Bücher', slug: 'bücher' })
    await take(id, { slug: 'books' })
    await take(id, { is_published: false, posted_at: null })
    await take(id, 'delete')
    await subscriber.waitFor(4)
    const url = `${world.baseUrl}/blog/books`
    const common = { id, title: 'Bücher', content_type: 'post' }
    const events = subscriber.received.toSorted((a, b) => Number(a.data.version) - Number(b.data.version))
    expect(events.map(({ event, data }) => ({ event, data }))).toEqual([
      {
        event: 'post.published',
        data: { ...common, slug: 'bücher', url: `${world.baseUrl}/blog/b%C3%BCcher`, posted_at, version: 1 },
      },
      {
        event: 'post.updated',
        data: { ...common, slug: 'books', url, posted_at, version: 2, previous_slug: 'bücher' },
      },
      { event: 'post.unpublished', data: { ...common, slug: 'books', url, posted_at: null, version: 3 } },
      { event: 'post.deleted', data: { ...common, slug: 'books', url, posted_at: null, version: 4 } },
    ])
    for (const { occurred_at } of events) {
      expect(occurred_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
      expect(Date.parse(occurred_at)).toBeGreaterThanOrEqual(startedMs)
      expect(Date.parse(occurred_at)).toBeLessThanOrEqual(Date.now())
    }
  })

  it('fires one event for ten concurrent requests to publish it', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const { id } = await world.create.post()
    const answers = await Promise.all(Array.from({ length: 10 }, () => take(id, 'publish')))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const later = await world.create.livePost()
    await until('the event of a later post', () =>
      subscriber.received.some(({ data }) => data.id === later.id),
    )
    expect(subscriber.events()).toEqual(['post.published', 'post.published'])
  })
})
