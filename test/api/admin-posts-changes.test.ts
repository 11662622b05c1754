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

function change(id: number, body: unknown) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id }, body })
}

function publish(id: number) {
  return world.call(adminPosts.publishPost, { token: world.admin, params: { id } })
}

function unpublish(id: number) {
  return world.call(adminPosts.unpublishPost, { token: world.admin, params: { id } })
}

async function get(id: number) {
  return (await world.call(adminPosts.getPost, { token: world.admin, params: { id } })).data
}

async function isVisible({ slug }: { slug: string }) {
  return (await world.call(posts.getPost, { params: { slug } })).status === 200
}

async function createTwelveCategories() {
  const created = []
  for (let n = 0; n < 12; n++) created.push(await world.create.category())
  return created
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

  it('keeps a date in the past, and schedules by a date in the future', async () => {
    const old = await world.create.post({ posted_at: '2001-02-03T04:05:06Z' })
    expect((await publish(old.id)).data).toMatchObject({
      status: 'published',
      posted_at: '2001-02-03T04:05:06+00:00',
    })
    const later = await world.create.post({ posted_at: '2999-01-01' })
    const { data } = await publish(later.id)
    expect(data).toMatchObject({ status: 'scheduled', posted_at: '2999-01-01T00:00:00+00:00', version: 2 })
    expect((await publish(later.id)).data).toEqual(data)
    expect(await isVisible(later)).toBe(false)
  })
})

describe('POST /api/v1/admin/posts/{id}/unpublish', () => {
  it('hides the post, keeps its date, and changes nothing when it is repeated', async () => {
    for (const posted_at of ['2001-02-03T00:00:00+00:00', '2999-01-01T00:00:00+00:00']) {
      const post = await world.create.livePost({ posted_at })
      const { status, data } = await unpublish(post.id)
      expect(status).toBe(200)
      expect(data).toMatchObject({ is_published: false, status: 'draft', posted_at, version: 2 })
      expect(await isVisible(post)).toBe(false)
      expect((await unpublish(post.id)).data).toEqual(data)
    }
  })
})

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

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('changes title, slug, body, date and all 12 categories in one request', async () => {
    const [before, after] = [await createTwelveCategories(), await createTwelveCategories()]
    const post = await world.create.livePost({
      category_ids: before.map(({ id }) => id),
      body: 'x'.repeat(1000),
      posted_at: '2020-01-01',
    })
    const category_ids = after.map(({ id }) => id)
    const { data } = await change(post.id, {
      title: 'All new',
      slug: 'all-new',
      body: 'y'.repeat(1000),
      posted_at: '2021-01-01',
      category_ids,
    })
    expect(data).toMatchObject({ version: 2, category_ids, slug: 'all-new' })
    expect(await Promise.all(before.map(({ slug }) => total(slug)))).toEqual(before.map(() => 0))
    expect(await Promise.all(after.map(({ slug }) => total(slug)))).toEqual(after.map(() => 1))
    expect(await Promise.all(after.map(({ slug }) => count(slug)))).toEqual(after.map(() => 1))
  })

  it('publishes, schedules and hides a post by is_published and posted_at', async () => {
    const category = await world.create.category()
    const post = await world.create.post({ category_ids: [category.id] })
    const steps: [Record<string, unknown>, string, boolean][] = [
      [{ is_published: true }, 'published', true],
      [{ posted_at: '2999-01-01' }, 'scheduled', false],
      [{ posted_at: '2020-01-01' }, 'published', true],
      [{ is_published: false }, 'draft', false],
      [{ posted_at: null }, 'draft', false],
      [{ is_published: true, posted_at: '2999-01-01' }, 'scheduled', false],
      [{ posted_at: null }, 'published', true],
    ]
    for (const [n, [body, status, isLive]] of steps.entries()) {
      const { data } = await change(post.id, body)
      expect([data.status, data.version]).toEqual([status, n + 2])
      expect(await isVisible(post)).toBe(isLive)
      expect([await total(category.slug), await count(category.slug)]).toEqual([
        Number(isLive),
        Number(isLive),
      ])
    }
  })
})

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
