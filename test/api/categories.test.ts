// Categories: the same fields for readers and admins, and counts that agree with the lists.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { listPartition } from '../../shared/table/design.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function create(body: unknown) {
  return world.call(adminCategories.createCategory, { token: world.admin, body })
}

async function read(slug: string) {
  return (await world.call(categories.getCategory, { params: { slug } })).data
}

describe('POST /api/v1/admin/categories', () => {
  it('accepts the slug of a post, and reports all faults together', async () => {
    const post = await world.create.post({ slug: 'shared-slug' })
    expect((await create({ name: 'N', slug: post.slug })).status).toBe(201)
    const { fields } = await create({ name: 'x'.repeat(101), slug: '-', description: 'x'.repeat(1001) })
    expect(Object.keys(fields ?? {}).sort()).toEqual(['description', 'name', 'slug'])
  })
})

describe('GET /api/v1/categories', () => {
  it('sorts by name, ignoring case and diacritics', async () => {
    for (const name of ['zebra', 'Éclair', 'eclair', 'apple']) await create({ name })
    const { data } = await world.call(categories.listCategories)
    const names = data
      .map(({ name }) => name)
      .filter(name => ['zebra', 'Éclair', 'eclair', 'apple'].includes(name))
    expect(names).toEqual(['apple', 'Éclair', 'eclair', 'zebra'])
    expect((await world.call(adminCategories.listCategories, { token: world.admin })).data).toEqual(data)
  })

  it('counts live posts only, without drafts, pages and scheduled posts', async () => {
    const { id, slug } = await world.create.category()
    const ids = { category_ids: [id] }
    const live = await world.create.livePost(ids)
    await world.create.post(ids)
    await world.create.livePost({ ...ids, content_type: 'page' })
    await world.create.livePost({ ...ids, posted_at: '2999-01-01' })
    const total = async () =>
      (await world.call(posts.listPosts, { query: { category: slug } })).pagination.total
    expect([(await read(slug)).posts_count, await total()]).toEqual([1, 1])
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: live.id } })
    expect([(await read(slug)).posts_count, await total()]).toEqual([0, 0])
  })
})

describe('DELETE /api/v1/admin/categories/{id}', () => {
  it('removes the category from every post immediately, and its list in the background', async () => {
    const deleted = await world.create.category()
    const kept = await world.create.category()
    const category_ids = [deleted.id, kept.id]
    const created = await Promise.all(
      Array.from({ length: 8 }, () => world.create.livePost({ category_ids })),
    )

    await world.call(adminCategories.deleteCategory, { token: world.admin, params: { id: deleted.id } })

    expect((await world.call(categories.getCategory, { params: { slug: deleted.slug } })).code).toBe(
      'NOT_FOUND',
    )
    expect((await world.call(categories.listPostsOfCategory, { params: { slug: deleted.slug } })).code).toBe(
      'NOT_FOUND',
    )
    expect((await world.call(posts.listPosts, { query: { category: deleted.slug } })).pagination.total).toBe(
      0,
    )
    const { data, pagination } = await world.call(posts.listPosts, {
      query: { category: kept.slug, per_page: 100 },
    })
    expect(pagination.total).toBe(created.length)
    for (const post of data) expect(post.categories.map(({ id }) => id)).toEqual([kept.id])

    const entries = () =>
      world.table.query({ pk: listPartition(`category:${deleted.id}`), limit: 1 }, z.unknown())
    await until('an empty list', async () => (await entries()).length === 0)
    const [first] = created
    const { data: edited } = await world.call(adminPosts.changePost, {
      token: world.admin,
      params: { id: first?.id ?? 0 },
      body: { title: 'Edited' },
    })
    expect(edited.category_ids).toEqual([kept.id])
    expect((await read(kept.slug)).posts_count).toBe(created.length)
  })
})
