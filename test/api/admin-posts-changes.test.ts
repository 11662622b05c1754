// Changes of posts: from status to status, and many members together. The clock changes no version.
import { describe, expect, it } from 'vitest'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { postDueSoon } from './due-soon.ts'

const world = useWorld()

type Action = (typeof adminPosts)['publishPost' | 'unpublishPost' | 'changePost' | 'deletePost']
function act(endpoint: Action, id: number, body?: unknown) {
  return world.call(endpoint, { token: world.admin, params: { id }, body })
}

function publish(id: number) {
  return world.call(adminPosts.publishPost, { token: world.admin, params: { id } })
}

async function get(id: number) {
  return (await world.call(adminPosts.getPost, { token: world.admin, params: { id } })).data
}

async function isVisible({ slug }: { slug: string }) {
  return (await world.call(posts.getPost, { params: { slug } })).status === 200
}

async function total(slug: string) {
  return (await world.call(categories.listPostsOfCategory, { params: { slug } })).pagination.total
}

async function count(slug: string) {
  return (await world.call(categories.getCategory, { params: { slug } })).data.posts_count
}

describe('POST /api/v1/admin/posts/{id}/publish', () => {
  it('sets the date of a post without one to now, and changes nothing when it is repeated', async () => {
    const post = await world.create.post()
    const [before, { status, data }, after] = [Date.now(), await publish(post.id), Date.now()]
    expect(status).toBe(200)
    expect(data).toMatchObject({ is_published: true, status: 'published', version: 2 })
    const postedMs = Date.parse(data.posted_at ?? '')
    expect(postedMs).toBeGreaterThan(before - 1_000)
    expect(postedMs).toBeLessThanOrEqual(after)
    expect(await isVisible(post)).toBe(true)
    expect((await publish(post.id)).data).toEqual(data)
    expect(await get(post.id)).toEqual(data)
  })
})

describe('POST /api/v1/admin/posts/{id}/unpublish', () => {})

describe('DELETE /api/v1/admin/posts/{id}', () => {
  it('deletes a draft, a live or a scheduled post permanently, and returns empty data', async () => {
    const { id: category, slug } = await world.create.category()
    const created = [
      await world.create.post({ category_ids: [category] }),
      await world.create.livePost({ category_ids: [category] }),
      await world.create.livePost({ category_ids: [category], posted_at: '2999-01-01' }),
    ]
    expect([await total(slug), await count(slug)]).toEqual([1, 1])
    for (const post of created) {
      expect(await act(adminPosts.deletePost, post.id)).toMatchObject({ status: 200, data: {} })
      expect(await isVisible(post)).toBe(false)
      for (const endpoint of [adminPosts.deletePost, adminPosts.publishPost] as Action[]) {
        expect((await act(endpoint, post.id)).code).toBe('NOT_FOUND')
      }
    }
    expect([await total(slug), await count(slug)]).toEqual([0, 0])
    const list = await world.call(adminPosts.listPosts, { token: world.admin, query: { per_page: 100 } })
    for (const { id } of created) expect(list.data.map(post => post.id)).not.toContain(id)
  })
})

describe('PATCH /api/v1/admin/posts/{id}', () => {})

describe('the version of a post', () => {
  it('stays the same when the post becomes due, and when its category is renamed or deleted', async () => {
    const category = await world.create.category()
    const { post, dueMs, result } = await postDueSoon(world, { category_ids: [category.id] }, ({ id }) =>
      get(id),
    )
    expect(result).toEqual({ ...post, status: 'scheduled' })
    const request = { token: world.admin, params: { id: category.id } }
    await world.call(adminCategories.changeCategory, { ...request, body: { name: 'Renamed' } })
    await until('the second of posted_at', () => Date.now() >= dueMs)
    expect(await get(post.id)).toEqual({
      ...post,
      status: 'published',
      categories: [{ id: category.id, name: 'Renamed', slug: category.slug }],
    })
    await world.call(adminCategories.deleteCategory, request)
    expect(await get(post.id)).toEqual({ ...post, status: 'published', categories: [], category_ids: [] })
  })
})
