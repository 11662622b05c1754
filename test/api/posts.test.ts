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
    expect(Object.keys(two.data[0] ?? {})).toEqual([...FIELDS, 'body', 'seo_title', 'meta_desc'])
    const [listed] = (await world.call(posts.listPosts, { query: { category: slug } })).data
    expect(Object.keys(listed ?? {})).toEqual(FIELDS)
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
  it('returns a live post with all members', async () => {
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
