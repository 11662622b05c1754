// Changes of categories, and their effect on posts. test/histories compares counts, lists and their order.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { listPartition } from '../../shared/table/design.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function request(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

async function counts(slug: string) {
  const params = { slug }
  const { posts_count } = (await world.call(categories.getCategory, { params })).data
  return [posts_count, (await world.call(categories.listPostsOfCategory, { params })).pagination.total]
}

describe('POST /api/v1/admin/categories', () => {
  it('accepts the slug of a post, and reports all faults together', async () => {
    const create = (body: unknown) => world.call(adminCategories.createCategory, { token: world.admin, body })
    const post = await world.create.post({ slug: 'shared-slug' })
    expect((await create({ name: 'N', slug: post.slug })).status).toBe(201)
    const { fields } = await create({ name: 'x'.repeat(101), slug: '-', description: 'x'.repeat(1001) })
    expect(Object.keys(fields ?? {}).sort()).toEqual(['description', 'name', 'slug'])
  })
})

describe('DELETE /api/v1/admin/categories/{id}', () => {
  it('deletes the list of the category in the background, and rejects changes that name it', async () => {
    const [deleted, kept] = [await world.create.category(), await world.create.category()]
    const category_ids = [deleted.id, kept.id]
    const post = await world.create.livePost({ category_ids })
    const draft = await world.create.post({ category_ids })
    await world.call(adminCategories.deleteCategory, request(deleted.id))
    const change = (body: unknown) => world.call(adminPosts.changePost, request(post.id, body))
    expect((await change({})).data).toMatchObject({ version: 1, category_ids: [kept.id] })
    expect((await change({ category_ids: [kept.id] })).data.version).toBe(1)
    expect((await change({ category_ids })).fields).toEqual({ 'category_ids.0': ['Does not exist.'] })
    expect((await world.call(adminPosts.publishPost, request(draft.id))).data.category_ids).toEqual([kept.id])
    expect(await counts(kept.slug)).toEqual([2, 2])
    for (const { id } of [post, draft]) await world.call(adminPosts.deletePost, request(id))
    expect(await counts(kept.slug)).toEqual([0, 0])

    const entries = () =>
      world.table.query({ pk: listPartition(`category:${deleted.id}`), limit: 1 }, z.unknown())
    await until('an empty list', async () => (await entries()).length === 0)
  })
})
