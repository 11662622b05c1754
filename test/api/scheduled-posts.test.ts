// Scheduled posts: they become public by the clock, are found then, and fire one event.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import type { AdminPost } from '../../shared/posts/fields.ts'
import { openSubscriber, type Subscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const FIRST_SECONDS = 2
const MAX_SECONDS = 128

/**
 * Creates a post that becomes due during a test, runs `whileScheduled` and returns its result if the post is
 * still not due afterwards. Otherwise deletes the post and tries again with twice the time.
 */
async function postDueSoon<Result>(
  members: Record<string, unknown>,
  whileScheduled: (post: AdminPost) => Promise<Result>,
) {
  for (let seconds = FIRST_SECONDS; seconds <= MAX_SECONDS; seconds *= 2) {
    const dueMs = (Math.floor(Date.now() / 1000) + seconds) * 1000
    const post = await world.create.livePost({ ...members, posted_at: new Date(dueMs).toISOString() })
    const result = await whileScheduled(post)
    if (Date.now() < dueMs) return { post, dueMs, result }
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: post.id } })
  }
  throw new Error(`The calls on a scheduled post took more than ${MAX_SECONDS} s.`)
}

async function subscribe() {
  const subscriber = await openSubscriber()
  await world.create.webhook(subscriber.url)
  return subscriber
}

function eventsOf({ received }: Subscriber, id: number) {
  return received.filter(({ data }) => data.id === id)
}

/** Waits for `count` events of a post, then for one of a later post: duplicates would arrive before it. */
async function eventNamesOf(subscriber: Subscriber, id: number, count: number) {
  await until(`${count} events of ${id}`, () => eventsOf(subscriber, id).length >= count)
  const later = await world.create.livePost()
  await until('the event of a later post', () => eventsOf(subscriber, later.id).length === 1)
  await until('all queues to be empty', world.isIdle)
  return eventsOf(subscriber, id)
    .map(({ event }) => event)
    .sort()
}

describe('a scheduled post', () => {
  it('becomes public in the second of posted_at and fires one event, although three sweeps find it', async () => {
    const subscriber = await subscribe()
    const read = async (slug: string) => (await world.call(posts.getPost, { params: { slug } })).status
    const { post, dueMs, result } = await postDueSoon({}, async ({ status, slug }) => {
      // On a busy machine parts of a sweep may fail, and are left to the next one.
      await Promise.allSettled([1, 2, 3].map(() => world.runSchedule('sweep')))
      return { status, readStatus: await read(slug) }
    })
    expect(result).toEqual({ status: 'scheduled', readStatus: 404 })
    await until('the second of posted_at', () => Date.now() >= dueMs)
    expect(await read(post.slug)).toBe(200)

    expect(await eventNamesOf(subscriber, post.id, 1)).toEqual(['post.published'])
    expect(Date.parse(eventsOf(subscriber, post.id)[0]?.occurred_at ?? '')).toBe(dueMs)
    const { data } = await world.call(adminPosts.getPost, { params: { id: post.id }, token: world.admin })
    expect([data.version, data.updated_at, data.status]).toEqual([1, post.updated_at, 'published'])
  })

  it('fires its event as well if its body is stored in parts, and has more words than are indexed', async () => {
    const subscriber = await subscribe()
    const body = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join(' ')
    const { post } = await postDueSoon({ body }, async ({ status }) => status)
    expect(await eventNamesOf(subscriber, post.id, 1)).toEqual(['post.published'])
  })
})
