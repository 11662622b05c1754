// The posts of a category, which the path of the category and the filter of /posts list alike.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

type Query = Record<string, string | number>
function byPath(slug: string, query: Query = {}) {
  return world.call(categories.listPostsOfCategory, { params: { slug }, query })
}

function byFilter(slug: string, query: Query = {}) {
  return world.call(posts.listPosts, { query: { ...query, category: slug } })
}

describe('GET /api/v1/categories/{slug}/posts', () => {
  it('returns the same as GET /posts with the category as its filter, for each query', async () => {
    const { id, slug } = await world.create.category({ slug: 'カテゴリ' })
    for (let n = 0; n < 14; n++) await world.create.livePost({ category_ids: [id], body: `Body ${n}` })
    await world.create.livePost({ category_ids: [id], posted_at: '2999-01-01' })
    const queries: Query[] = [
      {},
      { page: 2 },
      { page: 3 },
      { per_page: 5, page: 3 },
      { per_page: 500 },
      { include: 'body', per_page: 3 },
    ]
    for (const query of queries) {
      const [path, filter] = [await byPath(slug, query), await byFilter(slug, query)]
      expect([path.data, path.pagination]).toEqual([filter.data, filter.pagination])
    }
    expect((await byPath(slug)).pagination).toEqual({
      current_page: 1,
      per_page: 12,
      total: 14,
      last_page: 2,
      from: 1,
      to: 12,
    })
    const { data } = await byPath(slug, { include: 'body', per_page: 1 })
    expect(data).toEqual([{ ...data[0], body: 'Body 13', seo_title: '', meta_desc: '' }])
    const invalid: Query[] = [{ page: 0 }, { include: 'author' }]
    for (const query of invalid) {
      expect(await byPath(slug, query)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' })
    }
  })

  it('contains bodies that do not fit into one item of the table', async () => {
    const { id, slug } = await world.create.category()
    const body = `<p>${randomBytes(150_000).toString('hex')}</p>`
    await world.create.livePost({ category_ids: [id], body })
    expect((await byPath(slug, { include: 'body' })).data).toMatchObject([{ body }])
  })
})
