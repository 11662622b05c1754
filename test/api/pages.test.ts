// The public endpoints of pages.
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function livePage(body: Record<string, unknown> = {}) {
  return world.create.livePost({ content_type: 'page', ...body })
}

async function titles(query: Record<string, string | number> = {}) {
  return (await world.call(posts.listPages, { query: { per_page: 100, ...query } })).data.map(
    ({ title }) => title,
  )
}

describe('GET /api/v1/pages', () => {
  it('lists pages only, in pages sorted by title, even after a title has changed', async () => {
    const { id } = await livePage({ title: 'Mango' })
    for (const title of ['apple', 'Zebra', 'Éclair']) await livePage({ title })
    await world.create.livePost({ title: 'A post' })
    await world.create.post({ title: 'A draft', content_type: 'page' })
    expect(await titles()).toEqual(['apple', 'Éclair', 'Mango', 'Zebra'])

    const { data, pagination } = await world.call(posts.listPages, { query: { per_page: 3, page: 2 } })
    expect(data.map(({ title }) => title)).toEqual(['Zebra'])
    expect(pagination).toEqual({ current_page: 2, per_page: 3, total: 4, last_page: 2, from: 4, to: 4 })
    expect(Object.keys(data[0] ?? {})).toHaveLength(11)

    const params = { id }
    await world.call(adminPosts.changePost, { token: world.admin, params, body: { title: '1. Mango' } })
    expect(await titles()).toEqual(['1. Mango', 'apple', 'Éclair', 'Zebra'])
    await world.call(adminPosts.unpublishPost, { token: world.admin, params })
    expect(await titles()).toEqual(['apple', 'Éclair', 'Zebra'])
  })

  it('neither lists nor counts scheduled pages, wherever their titles sort', async () => {
    await livePage({ title: 'Row a' })
    for (const title of ['Row b', 'Row c', 'Row e']) {
      await livePage({ title, posted_at: '2999-01-01' })
    }
    await livePage({ title: 'Row d' })
    const all = await titles()
    expect(all.filter(title => title.startsWith('Row'))).toEqual(['Row a', 'Row d'])
    const single = []
    for (let page = 1; page <= all.length; page++) single.push(...(await titles({ per_page: 1, page })))
    expect(single).toEqual(all)
    const { pagination } = await world.call(posts.listPages, { query: { per_page: 1, page: all.length + 1 } })
    expect(pagination).toMatchObject({ total: all.length, last_page: all.length, from: 0, to: 0 })
  })

  it('contains bodies with include=body', async () => {
    const { slug } = await livePage({ title: '0', body: '<h1>Hi</h1>', seo_title: 'S', meta_desc: 'M' })
    const { data } = await world.call(posts.listPages, { query: { include: 'body', per_page: 1 } })
    const single = await world.call(posts.getPage, { params: { slug } })
    expect(data).toEqual([single.data])
    expect(single.data).toMatchObject({ body: '<h1>Hi</h1>', seo_title: 'S', meta_desc: 'M' })
  })
})

describe('GET /api/v1/pages/{slug}', () => {
  it('returns a live page with its categories, which neither list nor count the page', async () => {
    const category = await world.create.category()
    const { slug } = await livePage({ category_ids: [category.id] })
    const { data } = await world.call(posts.getPage, { params: { slug } })
    expect(data).toMatchObject({ content_type: 'page', categories: [{ id: category.id }] })
    const params = { slug: category.slug }
    expect((await world.call(categories.getCategory, { params })).data.posts_count).toBe(0)
    expect((await world.call(categories.listPostsOfCategory, { params })).data).toEqual([])
  })
})
