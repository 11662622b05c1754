// Creating and changing posts: defaults, faults, and the members that a change leaves alone.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
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

  it('reports every fault of the body together, by its path', async () => {
    const { code, fields } = await create({
      title: ' ',
      slug: '-no-',
      body: 7,
      short_description: 'x'.repeat(501),
      content_type: 'video',
      is_published: 'yes',
      posted_at: '2026-02-30',
      seo_title: '🚀'.repeat(61),
      meta_desc: 'x'.repeat(156),
      category_ids: [1, 'two', 0],
      featured_image: { large: 'nowhere' },
      author_id: '1',
    })
    expect(code).toBe('VALIDATION_ERROR')
    expect(Object.keys(fields ?? {}).sort()).toEqual([
      'author_id',
      'body',
      'category_ids.1',
      'category_ids.2',
      'content_type',
      'featured_image.large',
      'is_published',
      'meta_desc',
      'posted_at',
      'seo_title',
      'short_description',
      'slug',
      'title',
    ])
  })

  it('counts lengths in code points', async () => {
    expect(
      (await create({ title: '🚀'.repeat(255), seo_title: '🚀'.repeat(60), meta_desc: 'é'.repeat(155) }))
        .status,
    ).toBe(201)
    expect((await create({ title: '🚀'.repeat(256) })).code).toBe('VALIDATION_ERROR')
  })

  it('reports a taken slug, an unknown author and each unknown category together', async () => {
    const { slug } = await world.create.post()
    const category = await world.create.category()
    const { fields } = await create({
      title: 'T',
      slug,
      author_id: 999,
      category_ids: [category.id, 998, 999],
    })
    expect(Object.keys(fields ?? {}).sort()).toEqual([
      'author_id',
      'category_ids.1',
      'category_ids.2',
      'slug',
    ])
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

  it('resets optional members that are null to their defaults, and rejects null for the others', async () => {
    const { id } = await world.create.post({
      short_description: 'S',
      seo_title: 'S',
      meta_desc: 'M',
      posted_at: '2020-01-01',
      featured_image: { large: 'https://a.b/c' },
    })
    const resets = {
      short_description: null,
      seo_title: null,
      meta_desc: null,
      posted_at: null,
      featured_image: null,
    }
    expect((await change(id, resets)).data).toMatchObject({
      short_description: '',
      seo_title: '',
      meta_desc: '',
      posted_at: null,
      featured_image: {},
    })
    const nulls = {
      title: null,
      body: null,
      slug: null,
      is_published: null,
      category_ids: null,
      content_type: null,
      author_id: null,
    }
    expect(Object.keys((await change(id, nulls)).fields ?? {}).sort()).toEqual(Object.keys(nulls).sort())
  })

  it('sets the date of a published post to now if posted_at is null', async () => {
    const post = await world.create.livePost({ posted_at: '2020-01-01' })
    const startedMs = Date.now() - 1_000
    const { data } = await change(post.id, { posted_at: null })
    expect(Date.parse(data.posted_at ?? '')).toBeGreaterThan(startedMs)
    expect(Date.parse(data.posted_at ?? '')).toBeLessThanOrEqual(Date.now())
  })

  it('changes the author, whose name readers then see', async () => {
    const user = await world.create.user()
    const post = await world.create.livePost()
    await change(post.id, { author_id: user.id })
    expect((await world.call(posts.getPost, { params: { slug: post.slug } })).data.author.name).toBe(
      user.name,
    )
  })
})
