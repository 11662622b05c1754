// The endpoints of categories for admins, and the effects of a change on posts.
import { describe, expect, it } from 'vitest'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { postDueSoon } from './due-soon.ts'

const world = useWorld()

function request(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

function change(id: number, body: unknown) {
  return world.call(adminCategories.changeCategory, request(id, body))
}

function remove(id: number) {
  return world.call(adminCategories.deleteCategory, request(id))
}

async function get(id: number) {
  return (await world.call(adminCategories.getCategory, request(id))).data
}

async function getPost(id: number) {
  return (await world.call(adminPosts.getPost, request(id))).data
}

async function total(slug: string) {
  return (await world.call(categories.listPostsOfCategory, { params: { slug } })).pagination.total
}

async function count(slug: string) {
  return (await world.call(categories.getCategory, { params: { slug } })).data.posts_count
}

describe('GET /api/v1/admin/categories/{id}', () => {
  it('counts a scheduled post from the second of posted_at on, as the list does', async () => {
    const { id, slug } = await world.create.category()
    const counts = async () => [(await get(id)).posts_count, await count(slug), await total(slug)]
    const { post, dueMs, result } = await postDueSoon(world, { category_ids: [id] }, counts)
    expect(result).toEqual([0, 0, 0])
    await until('the second of posted_at', () => Date.now() >= dueMs)
    expect(await counts()).toEqual([1, 1, 1])
    expect((await world.call(posts.getPost, { params: { slug: post.slug } })).status).toBe(200)
  })
})

describe('PATCH /api/v1/admin/categories/{id}', () => {
  it('keeps the posts of a category whose slug changes, and frees the old slug', async () => {
    const { id, slug } = await world.create.category()
    const post = await world.create.livePost({ category_ids: [id] })
    await change(id, { slug: 'new-slug' })
    expect([await total('new-slug'), await count('new-slug')]).toEqual([1, 1])
    expect((await world.call(categories.listPostsOfCategory, { params: { slug } })).code).toBe('NOT_FOUND')
    expect((await world.call(posts.listPosts, { query: { category: slug } })).pagination.total).toBe(0)
    const other = await world.create.category({ slug })
    expect(await total(other.slug)).toBe(0)
    expect(await getPost(post.id)).toMatchObject({
      version: 1,
      updated_at: post.updated_at,
      categories: [{ id, slug: 'new-slug' }],
    })
  })

  it('changes the order of the categories of a post, which are sorted by name', async () => {
    const [a, b] = [
      await world.create.category({ name: 'Alpha' }),
      await world.create.category({ name: 'beta' }),
    ]
    const post = await world.create.livePost({ category_ids: [b.id, a.id] })
    expect(post.categories.map(({ name }) => name)).toEqual(['Alpha', 'beta'])
    await change(a.id, { name: 'gamma' })
    const { data } = await world.call(posts.getPost, { params: { slug: post.slug } })
    expect(data.categories.map(({ name }) => name)).toEqual(['beta', 'gamma'])
    expect((await getPost(post.id)).category_ids).toEqual([b.id, a.id])
  })
})

describe('DELETE /api/v1/admin/categories/{id}', () => {
  it('removes the category from posts of every status and from pages, and frees its slug', async () => {
    const { id, slug } = await world.create.category()
    const category_ids = [id]
    const created = [
      await world.create.post({ category_ids }),
      await world.create.livePost({ category_ids }),
      await world.create.livePost({ category_ids, posted_at: '2999-01-01' }),
      await world.create.livePost({ category_ids, content_type: 'page' }),
    ]
    expect(await remove(id)).toMatchObject({ status: 200, data: {} })
    for (const post of created) {
      expect(await getPost(post.id)).toEqual({ ...post, categories: [], category_ids: [] })
    }
    expect((await remove(id)).code).toBe('NOT_FOUND')
    expect((await change(id, { name: 'Back' })).code).toBe('NOT_FOUND')

    const other = await world.create.category({ slug })
    expect(other.id).not.toBe(id)
    expect([other.posts_count, await total(slug)]).toEqual([0, 0])
  })

  it('keeps posts of the category editable, and rejects changes that name the category', async () => {
    const [deleted, kept] = [await world.create.category(), await world.create.category()]
    const category_ids = [deleted.id, kept.id]
    const [post, draft] = [
      await world.create.livePost({ category_ids }),
      await world.create.post({ category_ids }),
    ]
    await remove(deleted.id)
    const call = world.call
    expect((await call(adminPosts.changePost, request(post.id, {}))).data.version).toBe(1)
    expect(
      (await call(adminPosts.changePost, request(post.id, { category_ids: [kept.id] }))).data.version,
    ).toBe(1)
    expect((await call(adminPosts.changePost, request(post.id, { category_ids }))).fields).toEqual({
      'category_ids.0': ['Does not exist.'],
    })
    expect((await call(adminPosts.publishPost, request(draft.id))).data.category_ids).toEqual([kept.id])
    expect(await total(kept.slug)).toBe(2)
    for (const { id } of [post, draft]) {
      expect((await call(adminPosts.deletePost, request(id))).status).toBe(200)
    }
    expect([await total(kept.slug), await count(kept.slug)]).toEqual([0, 0])
  })
})
