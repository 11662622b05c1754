// The public endpoints of posts and pages: lists and single ones.
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const FIELDS = [
  'id',
  'title',
  'slug',
  'excerpt',
  'content_type',
  'featured_image',
  'author',
  'categories',
  'reading_time',
  'posted_at',
  'updated_at',
]

describe('GET /api/v1/posts', () => {
  it('lists live posts newest first, with exactly the fields of the contract', async () => {
    const category = await world.create.category()
    const older = await world.create.livePost({ posted_at: '2020-01-01', category_ids: [category.id] })
    const newer = await world.create.livePost({
      posted_at: '2021-01-01T10:00:00+02:00',
      category_ids: [category.id],
    })
    const twin = await world.create.livePost({
      posted_at: '2021-01-01T08:00:00.999Z',
      category_ids: [category.id],
    })
    await world.create.post({ category_ids: [category.id] })
    await world.create.livePost({ posted_at: '2999-01-01', category_ids: [category.id] })

    const { data, pagination } = await world.call(posts.listPosts, { query: { category: category.slug } })

    expect(data.map(({ id }) => id)).toEqual([twin.id, newer.id, older.id])
    expect(pagination).toEqual({ current_page: 1, per_page: 12, total: 3, last_page: 1, from: 1, to: 3 })
    expect(Object.keys(data[0] ?? {})).toEqual(FIELDS)
    expect(data[0]?.posted_at).toBe('2021-01-01T08:00:00+00:00')
    const same = await world.call(categories.listPostsOfCategory, { params: { slug: category.slug } })
    expect([same.data, same.pagination]).toEqual([data, pagination])
  })

  it('contains bodies with include=body, and says how many items fit if the answer is too large', async () => {
    const { id, slug } = await world.create.category()
    const body = '<p>x</p>'.repeat(200_000)
    for (let n = 0; n < 4; n++) {
      await world.create.livePost({ category_ids: [id], body: `${body}${n}`, seo_title: 'S' })
    }
    const list = (per_page: number) =>
      world.call(posts.listPosts, { query: { category: slug, include: 'body', per_page } })
    const two = await list(2)
    const params = { slug }
    const query = { include: 'body', per_page: 2 }
    expect((await world.call(categories.listPostsOfCategory, { params, query })).data).toEqual(two.data)
    expect(two.data.map(post => [post.body, post.seo_title, post.meta_desc])).toEqual([
      [`${body}3`, 'S', ''],
      [`${body}2`, 'S', ''],
    ])
    expect((await list(4)).fields).toEqual({
      per_page: ["The answer is too large: 3 of this page's items fit."],
    })
    expect((await list(3)).data).toHaveLength(3)
    expect((await world.call(posts.listPosts, { query: { include: 'comments' } })).fields).toHaveProperty(
      'include',
    )
  })
})

describe('GET /api/v1/posts/{slug}', () => {
  it('returns a live post with all members, and 404 for drafts, scheduled posts and pages', async () => {
    const live = await world.create.livePost({
      body: '<p>Hello</p>',
      seo_title: 'S',
      meta_desc: 'M',
      featured_image: { thumbnail: 'https://a.b/t.png' },
    })
    const { data } = await world.call(posts.getPost, { params: { slug: live.slug } })
    expect(Object.keys(data)).toEqual([...FIELDS, 'body', 'seo_title', 'meta_desc'])
    expect(data).toMatchObject({
      body: '<p>Hello</p>',
      excerpt: 'Hello',
      seo_title: 'S',
      meta_desc: 'M',
      featured_image: { thumbnail: 'https://a.b/t.png' },
    })

    const hidden = [
      await world.create.post(),
      await world.create.livePost({ posted_at: '2999-01-01' }),
      await world.create.livePost({ content_type: 'page' }),
    ]
    for (const { slug } of hidden) {
      expect((await world.call(posts.getPost, { params: { slug } })).code).toBe('NOT_FOUND')
      expect((await world.call(posts.listRelated, { params: { slug } })).code).toBe('NOT_FOUND')
    }
  })
})

describe('GET /api/v1/pages/{slug}', () => {
  it('returns what the list contains with include=body', async () => {
    const body = { content_type: 'page', body: '<h1>Hi</h1>', seo_title: 'S', meta_desc: 'M' }
    const { slug } = await world.create.livePost(body)
    const { data } = await world.call(posts.getPage, { params: { slug } })
    expect(data).toMatchObject(body)
    const query = { include: 'body', per_page: 100 }
    expect((await world.call(posts.listPages, { query })).data).toContainEqual(data)
  })
})
