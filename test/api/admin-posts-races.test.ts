// Concurrent changes of one post or category: none is lost, and counts stay correct.
import { describe, expect, it } from 'vitest'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function request(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

function change(id: number, body: unknown) {
  return world.call(adminPosts.changePost, request(id, body))
}

async function get(id: number) {
  return (await world.call(adminPosts.getPost, request(id))).data
}

async function total(slug: string) {
  return (await world.call(categories.listPostsOfCategory, { params: { slug } })).pagination.total
}

async function count(slug: string) {
  return (await world.call(categories.getCategory, { params: { slug } })).data.posts_count
}

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('applies each of ten concurrent changes', async () => {
    const post = await world.create.livePost()
    const bodies = Array.from({ length: 10 }, (_, n) => ({ title: `Title ${n}` }))
    const answers = await Promise.all(bodies.map(body => change(post.id, body)))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const versions = answers.map(({ data }) => data.version).sort((a, b) => a - b)
    expect(versions).toEqual(bodies.map((_, n) => n + 2))
    const last = answers.find(({ data }) => data.version === 11)?.data
    expect(await get(post.id)).toEqual(last)
  })

  it('keeps counts and lists equal while many posts of one category are changed, hidden and deleted', async () => {
    const category = await world.create.category()
    const category_ids = [category.id]
    const created = await Promise.all(
      Array.from({ length: 20 }, () => world.create.livePost({ category_ids })),
    )
    expect([await total(category.slug), await count(category.slug)]).toEqual([20, 20])
    await Promise.all(
      created.map(({ id }, n) =>
        [
          () => change(id, { category_ids: [] }),
          () => world.call(adminPosts.unpublishPost, request(id)),
          () => world.call(adminPosts.deletePost, request(id)),
          () => change(id, { title: 'Stays' }),
        ][n % 4]?.(),
      ),
    )
    expect([await total(category.slug), await count(category.slug)]).toEqual([5, 5])
  })

  it('never leaves a post in a category that is deleted at the same time', async () => {
    const category = await world.create.category()
    const post = await world.create.livePost()
    const [answer] = await Promise.all([
      change(post.id, { category_ids: [category.id] }),
      world.call(adminCategories.deleteCategory, request(category.id)),
    ])
    expect(answer.fields ?? answer.data.category_ids).toEqual(
      answer.fields ? { 'category_ids.0': ['Does not exist.'] } : [category.id],
    )
    expect((await get(post.id)).category_ids).toEqual([])
  })
})

describe('POST /api/v1/admin/posts/{id}/publish', () => {
  it('fires one event for ten concurrent requests', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const { id } = await world.create.post()
    const publish = () => world.call(adminPosts.publishPost, request(id))
    const answers = await Promise.all(Array.from({ length: 10 }, publish))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const later = await world.create.livePost()
    await until('the event of a later post', () =>
      subscriber.received.some(({ data }) => data.id === later.id),
    )
    expect(subscriber.events()).toEqual(['post.published', 'post.published'])
  })
})

describe('PATCH /api/v1/admin/categories/{id}', () => {
  it('applies each of ten concurrent changes while posts are added to the category', async () => {
    const { id, slug } = await world.create.category()
    const names = Array.from({ length: 10 }, (_, n) => `Name ${n}`)
    const [answers] = await Promise.all([
      Promise.all(
        names.map(name =>
          world.call(adminCategories.changeCategory, request(id, { name, description: name })),
        ),
      ),
      Promise.all(names.map(() => world.create.livePost({ category_ids: [id] }))),
    ])
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { name, description, posts_count } = (await world.call(adminCategories.getCategory, request(id)))
      .data
    expect([description, posts_count, await total(slug)]).toEqual([name, 10, 10])
  })
})
