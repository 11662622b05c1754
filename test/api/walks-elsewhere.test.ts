// The oldest posts first, and walks through the lists of categories, pages and admins.
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { sequentially } from '../world/endpoints.ts'
import { useWorld } from '../world/world.ts'
import { type Query, walksOf } from './walk-world.ts'

const world = useWorld()
const { walk, categoryWith, page } = walksOf(world)

describe('GET /api/v1/posts?order=oldest', () => {
  it('lists the same posts from the oldest on, by page and by cursor', async () => {
    const { slug, ids } = await categoryWith(5)
    expect((await walk({ category: slug, order: 'oldest' })).ids).toEqual(ids)
    const pages = await Promise.all(
      [1, 2, 3, 4].map(n => page({ category: slug, order: 'oldest', per_page: 2, page: n })),
    )
    expect(pages.map(({ data }) => data.map(({ id }) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 4),
      ids.slice(4),
      [],
    ])
    expect(pages.map(({ cursor }) => cursor.next !== null)).toEqual([true, true, false, false])
    expect((await page({ category: slug, order: 'newest' })).data.map(({ id }) => id)).toEqual(
      ids.toReversed(),
    )
  })

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

  it('refuses another order', async () => {
    expect((await page({ order: 'random' })).fields).toEqual({ order: ['Must be newest or oldest.'] })
  })
})

describe('GET /api/v1/categories/{slug}/posts?after=', () => {
  it('walks the posts of the category in both orders', async () => {
    const { slug, ids } = await categoryWith(3)
    const list = (query: Query) =>
      world.call(categories.listPostsOfCategory, { params: { slug }, query: { per_page: 2, ...query } })
    for (const order of ['newest', 'oldest']) {
      const first = await list({ order })
      const second = await list({ order, after: first.cursor.next ?? '' })
      const met = [...first.data, ...second.data].map(({ id }) => id)
      expect(met).toEqual(order === 'oldest' ? ids : ids.toReversed())
      expect(second.cursor.next).toBe(null)
    }
  })
})

describe('GET /api/v1/pages?after=', () => {
  it('walks pages by title, and leaves out scheduled ones wherever they sort', async () => {
    const titles = ['Walk a', 'Walk b', 'Walk c', 'Walk d', 'Walk e', 'Walk f']
    const scheduled = new Set(['Walk a', 'Walk c', 'Walk d'])
    const ids: number[] = []
    for (const title of titles) {
      const posted_at = scheduled.has(title) ? '2999-01-01' : '2020-01-01'
      const { id } = await world.create.livePost({ content_type: 'page', title, posted_at })
      if (!scheduled.has(title)) ids.push(id)
    }
    expect((await walk({}, posts.listPages)).ids).toEqual(ids)
    expect((await walk({ per_page: 1, include: 'body' }, posts.listPages)).ids).toEqual(ids)
  })
})

describe('GET /api/v1/admin/posts?after=', () => {
  it('walks all posts, or those of a filter, and refuses the cursor of another filter', async () => {
    const draft = await world.create.post()
    const page = await world.create.post({ content_type: 'page' })
    const live = await world.create.livePost()
    const all = (query: Query) => walk({ per_page: 100, ...query }, adminPosts.listPosts, world.admin)
    const one = (query: Query) => walk({ per_page: 1, ...query }, adminPosts.listPosts, world.admin)
    const filters: Query[] = [{}, { drafts_only: true }, { content_type: 'page' }]
    for (const filter of filters) {
      expect((await one(filter)).ids).toEqual((await all(filter)).ids)
    }
    const { ids } = await one({})
    expect(ids.slice(0, 3)).toEqual([live.id, page.id, draft.id])
    expect((await one({ slug: draft.slug })).ids).toEqual([draft.id])

    const list = (query: Query) => world.call(adminPosts.listPosts, { token: world.admin, query })
    const after = (await list({ per_page: 1 })).cursor.next ?? ''
    expect((await list({ after })).status).toBe(200)
    const others: Query[] = [
      { drafts_only: true },
      { content_type: 'post' },
      { slug: draft.slug },
      { page: 1 },
    ]
    for (const query of others) {
      expect(Object.keys((await list({ ...query, after })).fields ?? {})).toEqual(['after'])
    }
  })
})
