// Changes of categories, their effect on posts, and the posts that they relate. test/histories compares
// counts, lists and their order.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { listPartition } from '../../shared/table/design.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

function request(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

describe('POST /api/v1/admin/categories', () => {
  it('accepts the slug of a post', async () => {
    const create = (body: unknown) => world.call(adminCategories.createCategory, { token: world.admin, body })
    const post = await world.create.post({ slug: 'shared-slug' })
    expect((await create({ name: 'N', slug: post.slug })).status).toBe(201)
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
    for (const { id } of [post, draft]) await world.call(adminPosts.deletePost, request(id))

    const entries = () =>
      world.table.query({ pk: listPartition(`category:${deleted.id}`), limit: 1 }, z.unknown())
    await until('an empty list', async () => (await entries()).length === 0)
  })
})

async function related({ slug }: { slug: string }) {
  return (await world.call(posts.listRelated, { params: { slug } })).data.map(({ id }) => id)
}

describe('GET /api/v1/posts/{slug}/related', () => {
  it('lists the posts of all its categories, newest first, with the fields of a list', async () => {
    const [a, b, c] = [
      await world.create.category(),
      await world.create.category(),
      await world.create.category(),
    ]
    const postOf = (category_ids: number[], posted_at: string) =>
      world.create.livePost({ category_ids, posted_at })
    const post = await postOf([a.id, b.id], '2020-06-01')
    const older = await postOf([a.id], '2020-01-01')
    const newer = await postOf([b.id], '2020-12-01')
    const twin = await postOf([b.id, a.id], '2020-12-01')
    await postOf([c.id], '2020-12-31')
    const { data } = await world.call(posts.listRelated, { params: { slug: post.slug } })
    expect(data.map(({ id }) => id)).toEqual([twin.id, newer.id, older.id])
    expect(Object.keys(data[0] ?? {})).toHaveLength(11)
    expect(data[0]).not.toHaveProperty('body')
  })

  it('lists no pages, drafts or scheduled posts, and no posts that left the category', async () => {
    const { id } = await world.create.category()
    const category_ids = [id]
    const post = await world.create.livePost({ category_ids })
    const [other, page, draft, moved] = [
      await world.create.livePost({ category_ids }),
      await world.create.livePost({ category_ids, content_type: 'page' }),
      await world.create.post({ category_ids }),
      await world.create.livePost({ category_ids }),
    ]
    await world.create.livePost({ category_ids, posted_at: '2999-01-01' })
    expect(await related(post)).toEqual([moved.id, other.id])

    for (const [id, body] of [
      [moved.id, { category_ids: [] }],
      [page.id, { content_type: 'post', posted_at: '2001-01-01' }],
      [draft.id, { is_published: true, posted_at: '2000-01-01' }],
    ] as const) {
      await world.call(adminPosts.changePost, request(id, body))
    }
    expect(await related(post)).toEqual([other.id, page.id, draft.id])
  })

  it('returns an empty list for a post without a category, and as soon as its category is deleted', async () => {
    const category = await world.create.category()
    const post = await world.create.livePost({ category_ids: [category.id] })
    await world.create.livePost({ category_ids: [category.id] })
    expect(await related(await world.create.livePost())).toEqual([])
    expect(await related(post)).toHaveLength(1)
    await world.call(adminCategories.deleteCategory, request(category.id))
    expect(await related(post)).toEqual([])
  })
})
