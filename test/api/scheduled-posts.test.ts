// What the clock tells of a post, and what nobody tells: categories are silent.
import { describe, expect, it } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { scheduledActions } from '../../shared/posts/commands/schedule.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { Post } from '../../shared/posts/post.ts'
import { postKey } from '../../shared/table/design.ts'
import { openSubscriber, type Subscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

async function listen() {
  const subscriber = await openSubscriber()
  await world.given.webhook(subscriber.url)
  return subscriber
}

function of({ received }: Subscriber, id: number) {
  return received.filter(({ data }) => data.id === id)
}

function act(
  endpoint: (typeof adminPosts)['publishPost' | 'unpublishPost' | 'changePost' | 'deletePost'],
  id: number,
  body?: unknown,
) {
  return world.call(endpoint, { token: world.admin, params: { id }, body })
}

/** A last event that everybody hears: what was told before it has come by then, queues being what they are. */
async function settled(subscriber: Subscriber, id: number, count: number) {
  await until(`${count} events of ${id}`, () => of(subscriber, id).length >= count)
  const last = await world.given.livePost()
  await until('the last event', () => of(subscriber, last.id).length === 1)
  return of(subscriber, id)
    .map(({ event }) => event)
    .sort()
}

describe('a scheduled post', () => {
  it('is there at its second and announced once, though the clock says so three times', async () => {
    const subscriber = await listen()
    // Later than a cold start takes, on a busy machine too.
    const dueMs = (Math.floor(Date.now() / 1000) + 4) * 1000
    const post = await world.given.livePost({ posted_at: new Date(dueMs).toISOString() })
    const read = async () => (await world.call(posts.getPost, { params: { slug: post.slug } })).status
    expect([post.status, await read()]).toEqual(['scheduled', 404])
    await Promise.all([1, 2, 3].map(() => world.runSchedule('sweep')))
    await until('its second', () => Date.now() >= dueMs)
    expect(await read()).toBe(200)

    await until('its event', () => of(subscriber, post.id).length > 0)
    expect(await settled(subscriber, post.id, 1)).toEqual(['post.published'])
    expect(Date.parse(of(subscriber, post.id)[0]?.occurred_at ?? '')).toBe(dueMs)
    const { data } = await world.call(adminPosts.getPost, { params: { id: post.id }, token: world.admin })
    expect([data.version, data.updated_at, data.status]).toEqual([1, post.updated_at, 'published'])
  })

  it('that came due unnoticed is announced by the next write, before its own event', async () => {
    const subscriber = await listen()
    const post = await world.given.livePost({ posted_at: '2999-01-01' })
    await makeDue(post.id)
    await act(adminPosts.changePost, post.id, { title: 'Edited before the clock noticed' })
    expect(await settled(subscriber, post.id, 2)).toEqual(['post.published', 'post.updated'])
    await world.runSchedule('sweep')
    expect(await settled(subscriber, post.id, 2)).toEqual(['post.published', 'post.updated'])
  })

  it('that nobody touches is announced by the sweep', async () => {
    const subscriber = await listen()
    const post = await world.given.livePost({ posted_at: '2999-01-01' })
    await makeDue(post.id)
    await world.runSchedule('sweep')
    expect(await settled(subscriber, post.id, 1)).toEqual(['post.published'])
  })
})

/**
 * As if its time had just come and every message about it had been lost. What came due before a subscription
 * existed is not for it, so the second is one that began after now.
 */
async function makeDue(id: number) {
  const then = Math.ceil(Date.now() / 1000)
  await until('a new second', () => Date.now() > then * 1000)
  const post = await world.table.find(postKey(id), Post)
  if (!post) throw new Error(`There is no post ${id}.`)
  await world.table.transact([
    {
      Update: {
        Key: postKey(id),
        UpdateExpression: 'SET posted_at = :then',
        ExpressionAttributeValues: { ':then': then },
      },
    },
    ...scheduledActions(post, { ...post, posted_at: then }),
  ])
}

describe('categories', () => {
  it('tell nothing and change no post, whatever happens to them', async () => {
    const subscriber = await listen()
    const category = await world.given.category()
    const post = await world.given.livePost({ category_ids: [category.id] })
    const asked = { token: world.admin, params: { id: category.id } }
    await world.call(adminCategories.changeCategory, { ...asked, body: { name: 'Renamed' } })
    await world.call(adminCategories.deleteCategory, asked)
    expect(await settled(subscriber, post.id, 1)).toEqual(['post.published'])
    const { data } = await world.call(adminPosts.getPost, { params: { id: post.id }, token: world.admin })
    expect(data).toMatchObject({ version: 1, updated_at: post.updated_at, categories: [], category_ids: [] })
  })
})
