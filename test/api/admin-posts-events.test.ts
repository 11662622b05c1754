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

/** A description, the body of the creation, the steps after it, and the names of all events. */
const LIVES: [string, Record<string, unknown>, Step[], string[]][] = [
  ['created live', { is_published: true }, ['publish', {}], ['post.published']],
  [
    'created live with a date in the past',
    { is_published: true, posted_at: '2001-01-01' },
    ['unpublish'],
    ['post.published', 'post.unpublished'],
  ],
  [
    'a draft that is changed and deleted',
    {},
    [{ title: 'Other' }, { posted_at: '2001-01-01' }, 'unpublish', 'delete'],
    ['post.deleted'],
  ],
  [
    'scheduled, changed, rescheduled, unpublished',
    { is_published: true, posted_at: '2999-01-01' },
    [
      'publish',
      { title: 'Other' },
      { posted_at: '2999-02-02' },
      'unpublish',
      'publish',
      { is_published: false },
    ],
    [],
  ],
  [
    'scheduled, then published by a change of its date',
    { is_published: true, posted_at: '2999-01-01' },
    [{ posted_at: null }],
    ['post.published'],
  ],
  [
    'published twice',
    {},
    ['publish', 'unpublish', 'publish'],
    ['post.published', 'post.published', 'post.unpublished'],
  ],
  [
    'live, rescheduled, deleted',
    { is_published: true },
    [{ posted_at: '2999-01-01' }, 'delete'],
    ['post.deleted', 'post.published', 'post.unpublished'],
  ],
  [
    'a page that becomes a post and a page again',
    { is_published: true, content_type: 'page' },
    [{ content_type: 'post' }, { content_type: 'page' }, 'delete'],
    ['page.published', 'post.deleted', 'post.updated', 'post.updated'],
  ],
  [
    'many changes in one request',
    {},
    [{ title: 'A', slug: 'many-in-one', body: 'b', content_type: 'page', is_published: true }],
    ['page.published'],
  ],
]

describe('a post', () => {
  it('fires at most one event for each write', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const eventsOf = (id: number) => subscriber.received.filter(({ data }) => data.id === id)
    const lives = await Promise.all(
      LIVES.map(async ([what, body, steps, events]) => {
        const { id } = await world.create.post(body)
        for (const step of steps) expect([what, (await take(id, step)).status]).toEqual([what, 200])
        return { what, id, events }
      }),
    )
    await subscriber.waitFor(LIVES.flatMap(([, , , events]) => events).length)
    const later = await world.create.livePost()
    await until('the event of a later post', () => eventsOf(later.id).length === 1)

    for (const { what, id, events } of lives) {
      expect([
        what,
        ...eventsOf(id)
          .map(({ event }) => event)
          .sort(),
      ]).toEqual([what, ...events])
    }
    const versions = lives.flatMap(({ id }) => eventsOf(id).map(({ data }) => `${id} v${data.version}`))
    expect(new Set(versions).size).toBe(versions.length)
  })

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
