// GET /api/v1/posts with a search text.
import { describe, expect, it } from 'vitest'
import { useWorld } from '../world/world.ts'
import { searchesIn } from './searches.ts'

const world = useWorld()
const { expectHits, listPosts } = searchesIn(world)

describe('GET /api/v1/posts?q=…', () => {
  it('finds posts without pages, page by page, within a category, and includes bodies', async () => {
    const category = await world.create.category()
    const created = await Promise.all(
      Array.from({ length: 7 }, (_, n) =>
        world.create.livePost({
          title: 'Wombat',
          body: `<p>${n}</p>`,
          posted_at: `2020-01-0${7 - n}`,
          category_ids: n < 3 ? [category.id] : [],
        }),
      ),
    )
    const page = await world.create.livePost({
      title: 'Wombat',
      content_type: 'page',
      posted_at: '2021-01-01',
    })
    const ids = created.map(({ id }) => id)
    await expectHits('wombat', [page.id, ...ids])

    const second = await listPosts({ q: 'wombat', page: '2', per_page: '3' })
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(3, 6))
    expect(second.pagination).toEqual({
      current_page: 2,
      per_page: 3,
      total: 7,
      last_page: 3,
      from: 4,
      to: 6,
    })
    const within = await listPosts({ q: 'wombat', category: category.slug, include: 'body' })
    expect(within.data.map(({ id, body }) => [id, body])).toEqual(
      ids.slice(0, 3).map((id, n) => [id, `<p>${n}</p>`]),
    )
    expect(within.pagination.total).toBe(3)
    expect((await listPosts({ q: 'wombat', category: 'none-such' })).data).toEqual([])
  })
})
