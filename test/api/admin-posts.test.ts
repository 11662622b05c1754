// Creating and changing posts: defaults, faults, and the members that a change leaves alone.
import { describe, expect, it } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function create(body: unknown) {
  return world.call(adminPosts.createPost, { token: world.admin, body })
}

function change(id: number, body: unknown) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id }, body })
}

function get(id: number) {
  return world.call(adminPosts.getPost, { token: world.admin, params: { id } })
}

describe('POST /api/v1/admin/posts', () => {
  it('returns 201 and the post with every default', async () => {
    const { status, data } = await create({ title: '  A title ' })
    expect(status).toBe(201)
    expect(data).toMatchObject({
      title: 'A title',
      body: '',
      excerpt: '',
      short_description: '',
      seo_title: '',
      meta_desc: '',
      content_type: 'post',
      is_published: false,
      status: 'draft',
      posted_at: null,
      category_ids: [],
      categories: [],
      featured_image: {},
      author: { name: 'Owner', avatar: null },
      version: 1,
      reading_time: 1,
    })
    expect(data.slug).toMatch(/^a-title/)
    expect((await get(data.id)).data).toEqual(data)
  })

  it('accepts at most 12 categories, and removes duplicates', async () => {
    const created = await Promise.all(Array.from({ length: 13 }, () => world.create.category()))
    const ids = created.map(({ id }) => id)
    expect((await create({ title: 'T', category_ids: ids })).fields).toHaveProperty('category_ids')
    const { data } = await create({
      title: 'T',
      category_ids: [...ids.slice(0, 12), ...ids.slice(0, 12)],
      is_published: true,
    })
    expect(data.category_ids.toSorted()).toEqual(ids.slice(0, 12).toSorted())
  })
})

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('changes the members of the request and no others, and raises the version by one', async () => {
    const post = await world.create.livePost({
      body: '<p>Text</p>',
      seo_title: 'SEO',
      featured_image: { large: 'https://a.b/c.png' },
    })
    const { data } = await change(post.id, { title: 'New' })
    expect(data).toEqual({ ...post, title: 'New', version: 2, updated_at: data.updated_at })
  })

  it('changes nothing if the request makes no difference', async () => {
    const category = await world.create.category()
    const post = await world.create.livePost({ category_ids: [category.id] })
    const { title, slug, category_ids } = post
    expect((await change(post.id, { title, slug, category_ids, body: '', is_published: true })).data).toEqual(
      post,
    )
    expect((await change(post.id, {})).data).toEqual(post)
  })
})
