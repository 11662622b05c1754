// Lists of posts that are read from cursor to cursor, in both orders.
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { sequentially } from '../support/endpoints.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

type Query = Record<string, string | number | boolean>

async function categoryWith(count: number) {
  const category = await world.create.category()
  const ids: number[] = []
  for (let n = 0; n < count; n++) {
    const posted_at = `2020-01-0${n + 1}`
    ids.push((await world.create.livePost({ posted_at, category_ids: [category.id] })).id)
  }
  return { slug: category.slug, id: category.id, ids }
}

function page(query: Query) {
  return world.call(posts.listPosts, { query })
}

describe('GET /api/v1/posts?after=', () => {
  it('continues any page, and counts from there', async () => {
    const { slug, ids } = await categoryWith(5)
    const second = await page({ category: slug, per_page: 2, page: 2 })
    expect(second.pagination).toMatchObject({ total: 5, current_page: 2 })
    const rest = await page({ category: slug, per_page: 100, after: second.cursor.next ?? '' })
    expect(rest.data.map(({ id }) => id)).toEqual(ids.slice(0, 1))
    expect(rest.pagination).toMatchObject({ per_page: 100, total: 5, from: 5, to: 5 })
    expect(rest.cursor).toEqual({ next: null })
    const first = await page({ category: slug, per_page: 2 })
    const third = await page({ category: slug, per_page: 2, after: first.cursor.next ?? '' })
    expect(third.pagination).toEqual({ current_page: 2, per_page: 2, total: 5, last_page: 3, from: 3, to: 4 })
  })

  it('refuses a cursor together with a page or a search, and both faults together', async () => {
    const { slug } = await categoryWith(3)
    const after = (await page({ category: slug, per_page: 2 })).cursor.next ?? ''
    expect((await page({ category: slug, after, page: 1 })).fields).toEqual({
      after: ['Must not be given together with `page`.'],
    })
    const { fields } = await page({ q: 'post', after, page: 2, order: 'oldest' })
    expect(Object.keys(fields ?? {})).toEqual(['after', 'order'])
    expect((await page({ q: 'post' })).cursor).toEqual({ next: null })
  })

  it('refuses a cursor of another endpoint, category or order', async () => {
    const { slug } = await categoryWith(3)
    const other = await world.create.category()
    const { cursor } = await page({ category: slug, per_page: 2 })
    const after = cursor.next ?? ''
    const refused = { after: [expect.stringContaining('Must be a cursor')] }
    const queries: Query[] = [
      { category: slug, order: 'oldest', after },
      { category: other.slug, after },
      { category: 'no-such-category', after },
      { after },
    ]
    for (const query of queries) {
      const answer = await page(query)
      expect([answer.status, answer.fields]).toEqual([422, refused])
    }
    const params = { slug }
    expect((await world.call(categories.listPostsOfCategory, { params, query: { after } })).status).toBe(422)
    expect((await world.call(posts.listPages, { query: { after } })).status).toBe(422)
  })
})

describe('GET /api/v1/posts?order=oldest', () => {
  it('keeps the items of all full pages after a new post, and the ETags of those read by cursor', async () => {
    const { slug, id } = await categoryWith(5)
    const query = { category: slug, order: 'oldest', per_page: 2 }
    const after = (await page(query)).cursor.next ?? ''
    const full: Query[] = [{ page: 1 }, { page: 2 }, { after }]
    const before = await sequentially(full, part => page({ ...query, ...part }))
    await world.create.livePost({ category_ids: [id] })
    const later = await sequentially(full, part => page({ ...query, ...part }))
    expect(later.map(({ data }) => data)).toEqual(before.map(({ data }) => data))
    expect(later.slice(0, 2).map(({ pagination }) => pagination.total)).toEqual([6, 6])
    expect(later.at(2)?.headers.get('etag')).toBe(before.at(2)?.headers.get('etag'))
    expect((await page({ ...query, page: 3 })).data).toHaveLength(2)
  })

  it('refuses another order, and other things to include', async () => {
    expect((await page({ order: 'random' })).fields).toEqual({ order: ['Must be newest or oldest.'] })
    expect((await page({ include: 'comments' })).fields).toHaveProperty('include')
  })
})

describe('GET /api/v1/admin/posts?after=', () => {
  it('refuses the cursor of another filter, and filters by slug and drafts together', async () => {
    const [draft, live] = [await world.create.post(), await world.create.livePost()]
    const list = (query: Query) => world.call(adminPosts.listPosts, { token: world.admin, query })
    const after = (await list({ per_page: 1 })).cursor.next ?? ''
    expect((await list({ after })).status).toBe(200)
    expect((await list({})).text).not.toContain('"body"')
    const { slug } = draft
    const others: Query[] = [{ drafts_only: true }, { content_type: 'post' }, { slug }, { page: 1 }]
    for (const query of others) {
      expect(Object.keys((await list({ ...query, after })).fields ?? {})).toEqual(['after'])
    }
    expect((await list({ slug, drafts_only: true })).pagination.total).toBe(1)
    expect((await list({ slug: live.slug, drafts_only: true })).data).toEqual([])
  })
})
