// What admins do with categories, and what it leaves of them in posts.
import { describe, expect, it } from 'vitest'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function asked(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

function change(id: number, body: unknown) {
  return world.call(adminCategories.changeCategory, asked(id, body))
}

function remove(id: number) {
  return world.call(adminCategories.deleteCategory, asked(id))
}

async function get(id: number) {
  return (await world.call(adminCategories.getCategory, asked(id))).data
}

async function getPost(id: number) {
  return (await world.call(adminPosts.getPost, asked(id))).data
}

async function total(slug: string) {
  return (await world.call(categories.listPostsOfCategory, { params: { slug } })).pagination.total
}

async function count(slug: string) {
  return (await world.call(categories.getCategory, { params: { slug } })).data.posts_count
}

describe('GET /api/v1/admin/categories', () => {
  it('lists all of them, without pages, with the fields and counts that readers see', async () => {
    for (let n = 0; n < 15; n++) await world.given.category()
    const { data, text } = await world.call(adminCategories.listCategories, { token: world.admin })
    expect(data.length).toBeGreaterThanOrEqual(15)
    expect(data).toEqual((await world.call(categories.listCategories)).data)
    expect(Object.keys(data[0] ?? {})).toEqual(['id', 'name', 'slug', 'description', 'posts_count'])
    expect(text).not.toContain('pagination')
  })
})

describe('GET /api/v1/admin/categories/{id}', () => {
  it('shows one, its count that of public posts only', async () => {
    const category = await world.given.category({ description: ' About \n it ' })
    const category_ids = [category.id]
    await world.given.post({ category_ids })
    await world.given.livePost({ category_ids })
    await world.given.livePost({ category_ids, posted_at: '2999-01-01' })
    const { data } = await world.call(adminCategories.getCategory, asked(category.id))
    expect(data).toEqual({ ...category, description: ' About \n it ', posts_count: 1 })
  })

  it('counts a post from its second on, as the list does', async () => {
    const { id, slug } = await world.given.category()
    const dueMs = (Math.floor(Date.now() / 1000) + 2) * 1000
    const post = await world.given.livePost({ category_ids: [id], posted_at: new Date(dueMs).toISOString() })
    const seen = async () => [(await get(id)).posts_count, await count(slug), await total(slug)]
    if (Date.now() < dueMs - 500) expect(await seen()).toEqual([0, 0, 0])
    await until('its second', () => Date.now() >= dueMs)
    expect(await seen()).toEqual([1, 1, 1])
    expect((await world.call(posts.getPost, { params: { slug: post.slug } })).status).toBe(200)
  })
})

describe('PATCH /api/v1/admin/categories/{id}', () => {
  it('changes what is named and leaves the rest', async () => {
    const category = await world.given.category({ description: 'D' })
    expect((await change(category.id, { name: ' New ' })).data).toEqual({ ...category, name: 'New' })
    expect((await change(category.id, { description: '' })).data).toMatchObject({
      name: 'New',
      description: '',
    })
    expect((await change(category.id, { slug: '', other: 1 })).data).toMatchObject({ slug: category.slug })
    expect(await get(category.id)).toEqual({ ...category, name: 'New', description: '' })
  })

  it('keeps posts where they are when the slug changes, and frees the old one', async () => {
    const { id, slug } = await world.given.category()
    const post = await world.given.livePost({ category_ids: [id] })
    await change(id, { slug: 'moved-here' })
    expect([await total('moved-here'), await count('moved-here')]).toEqual([1, 1])
    expect((await world.call(categories.listPostsOfCategory, { params: { slug } })).code).toBe('NOT_FOUND')
    expect((await world.call(posts.listPosts, { query: { category: slug } })).pagination.total).toBe(0)
    const other = await world.given.category({ slug })
    expect(await total(other.slug)).toBe(0)
    expect(await getPost(post.id)).toMatchObject({
      version: 1,
      updated_at: post.updated_at,
      categories: [{ id, slug: 'moved-here' }],
    })
  })

  it('sorts the categories of a post anew by their names', async () => {
    const [a, b] = [
      await world.given.category({ name: 'Alpha' }),
      await world.given.category({ name: 'beta' }),
    ]
    const post = await world.given.livePost({ category_ids: [b.id, a.id] })
    expect(post.categories.map(({ name }) => name)).toEqual(['Alpha', 'beta'])
    await change(a.id, { name: 'gamma' })
    const { data } = await world.call(posts.getPost, { params: { slug: post.slug } })
    expect(data.categories.map(({ name }) => name)).toEqual(['beta', 'gamma'])
    expect((await getPost(post.id)).category_ids).toEqual([b.id, a.id])
  })
})

describe('DELETE /api/v1/admin/categories/{id}', () => {
  it('drops it from drafts, scheduled posts and pages, too, and frees its slug', async () => {
    const { id, slug } = await world.given.category()
    const category_ids = [id]
    const made = [
      await world.given.post({ category_ids }),
      await world.given.livePost({ category_ids }),
      await world.given.livePost({ category_ids, posted_at: '2999-01-01' }),
      await world.given.livePost({ category_ids, content_type: 'page' }),
    ]
    expect(await remove(id)).toMatchObject({ status: 200, data: {} })
    for (const post of made) {
      expect(await getPost(post.id)).toEqual({ ...post, categories: [], category_ids: [] })
    }
    expect((await remove(id)).code).toBe('NOT_FOUND')
    expect((await change(id, { name: 'Back' })).code).toBe('NOT_FOUND')

    const again = await world.given.category({ slug })
    expect(again.id).not.toBe(id)
    expect([again.posts_count, await total(slug)]).toEqual([0, 0])
  })

  it('leaves posts that can be written as ever, and cannot be chosen again', async () => {
    const [gone, kept] = [await world.given.category(), await world.given.category()]
    const category_ids = [gone.id, kept.id]
    const [post, draft] = [
      await world.given.livePost({ category_ids }),
      await world.given.post({ category_ids }),
    ]
    await remove(gone.id)
    const call = world.call
    expect((await call(adminPosts.changePost, asked(post.id, {}))).data.version).toBe(1)
    expect(
      (await call(adminPosts.changePost, asked(post.id, { category_ids: [kept.id] }))).data.version,
    ).toBe(1)
    expect((await call(adminPosts.changePost, asked(post.id, { category_ids }))).fields).toEqual({
      'category_ids.0': ['Does not exist.'],
    })
    expect((await call(adminPosts.publishPost, asked(draft.id))).data.category_ids).toEqual([kept.id])
    expect(await total(kept.slug)).toBe(2)
    for (const { id } of [post, draft]) {
      expect((await call(adminPosts.deletePost, asked(id))).status).toBe(200)
    }
    expect([await total(kept.slug), await count(kept.slug)]).toEqual([0, 0])
  })

  it('changes the ETag of what showed it', async () => {
    const { id } = await world.given.category()
    const { slug } = await world.given.livePost({ category_ids: [id] })
    const tag = async () => (await world.call(posts.getPost, { params: { slug } })).headers.get('ETag')
    const tags = [await tag()]
    await change(id, { name: 'Other' })
    tags.push(await tag())
    await remove(id)
    tags.push(await tag())
    expect(new Set(tags).size).toBe(3)
  })
})
