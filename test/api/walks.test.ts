// The public list of posts, read from cursor to cursor.
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'
import { type Query, walksOf } from './walk-world.ts'

const world = useWorld()
const { walk, categoryWith, page } = walksOf(world)

describe('GET /api/v1/posts?after=', () => {
  it('meets each post once and ends with a null cursor', async () => {
    const { slug, ids } = await categoryWith(5)
    expect(await walk({ category: slug })).toEqual({ ids: ids.toReversed(), answers: 3 })
    expect(await walk({ category: slug, per_page: 5 })).toEqual({ ids: ids.toReversed(), answers: 1 })
    expect(await walk({ category: slug, include: 'body' })).toEqual({ ids: ids.toReversed(), answers: 3 })
  })

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

  it('has a null cursor on a page past the end, of an empty list and of an unknown category', async () => {
    const { slug } = await categoryWith(2)
    const queries: Query[] = [{ category: slug, page: 9 }, { category: 'no-such-category' }]
    for (const query of queries) {
      expect((await page(query)).cursor).toEqual({ next: null })
    }
    const empty = await world.create.category()
    expect((await page({ category: empty.slug })).cursor).toEqual({ next: null })
  })

  it('leaves out what is scheduled, and shows it once its time has come', async () => {
    const { slug, id, ids } = await categoryWith(3)
    await world.create.livePost({ posted_at: '2999-01-01', category_ids: [id] })
    expect((await walk({ category: slug })).ids).toEqual(ids.toReversed())
    expect((await walk({ category: slug, order: 'oldest' })).ids).toEqual(ids)
  })

  it('keeps its ETag while nothing changes', async () => {
    const { slug } = await categoryWith(3)
    const { cursor } = await page({ category: slug, per_page: 2 })
    const query = { category: slug, per_page: 2, after: cursor.next ?? '' }
    const [first, second] = [await page(query), await page(query)]
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    expect((await world.call(posts.listPosts, { query, headers })).status).toBe(304)
  })

  it('refuses a cursor together with a page or a search, and both faults together', async () => {
    const { slug } = await categoryWith(3)
    const after = (await page({ category: slug, per_page: 2 })).cursor.next ?? ''
    expect((await page({ category: slug, after, page: 1 })).fields).toEqual({
      after: ['Must not be given together with `page`.'],
    })
    expect(Object.keys((await page({ q: 'post', after, page: 2, order: 'oldest' })).fields ?? {})).toEqual([
      'after',
      'order',
    ])
    expect((await page({ q: 'post' })).cursor).toEqual({ next: null })
  })

  it('refuses a cursor that is broken, or of another endpoint, category or order', async () => {
    const { slug } = await categoryWith(3)
    const other = await world.create.category()
    const { cursor } = await page({ category: slug, per_page: 2 })
    const after = cursor.next ?? ''
    const refused = { after: [expect.stringContaining('Must be a cursor')] }
    const queries: Query[] = [
      { category: slug, after: after.slice(1) },
      { category: slug, after: '' },
      { category: slug, after: 'A'.repeat(3_000) },
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
