// What readers see of posts: lists, single posts, related ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { posts } from '../../shared/posts/contract.ts'
import { openWorld, type World } from '../world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

describe('GET /api/v1/posts', () => {
  it('lists live posts newest first, with exactly the fields of the contract', async () => {
    const category = await world.given.category()
    const older = await world.given.livePost({ posted_at: '2020-01-01', category_ids: [category.id] })
    const newer = await world.given.livePost({
      posted_at: '2021-01-01T10:00:00+02:00',
      category_ids: [category.id],
    })
    await world.given.post({ category_ids: [category.id] })
    await world.given.livePost({ posted_at: '2999-01-01', category_ids: [category.id] })

    const { data, pagination } = await world.call(posts.listPosts, { query: { category: category.slug } })

    expect(data.map(({ id }) => id)).toEqual([newer.id, older.id])
    expect(pagination).toEqual({ current_page: 1, per_page: 12, total: 2, last_page: 1, from: 1, to: 2 })
    expect(Object.keys(data[0] ?? {}).sort()).toEqual([
      'author',
      'categories',
      'content_type',
      'excerpt',
      'featured_image',
      'id',
      'posted_at',
      'reading_time',
      'slug',
      'title',
      'updated_at',
    ])
    expect(data[0]?.posted_at).toBe('2021-01-01T08:00:00+00:00')
  })
})
