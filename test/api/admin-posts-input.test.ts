// Every member of a post's input: the values that are accepted or rejected, and the answers to them.
import { beforeAll, describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let id = 0
beforeAll(async () => {
  id = (await world.create.post()).id
})

function create(body: unknown) {
  return world.call(adminPosts.createPost, { token: world.admin, body })
}

function change(body: unknown, postId = id) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id: postId }, body })
}

async function get() {
  return (await world.call(adminPosts.getPost, { token: world.admin, params: { id } })).data
}

const image = {
  thumbnail: 'https://a.example/t.png?w=1&h=2#x',
  medium: 'http://münchen.example/m',
  large: 'HTTPS://a.example:8443',
  original: `https://a.example/${'x'.repeat(480)}`,
}

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it.each<[string, unknown, unknown]>([
    ['title', '\t A  title \n', 'A  title'],
    ['title', '😀'.repeat(255), '😀'.repeat(255)],
    ['body', '  <p> </p>\n', '  <p> </p>\n'],
    ['short_description', ` ${'é'.repeat(500)} `, 'é'.repeat(500)],
    ['short_description', null, ''],
    ['seo_title', ` ${'x'.repeat(60)} `, 'x'.repeat(60)],
    ['seo_title', ' ', ''],
    ['meta_desc', '😀'.repeat(155), '😀'.repeat(155)],
    ['meta_desc', null, ''],
    ['content_type', 'page', 'page'],
    ['content_type', 'post', 'post'],
    ['posted_at', '2026-05-26', '2026-05-26T00:00:00+00:00'],
    ['posted_at', '2026-05-26T15:00:00.999999Z', '2026-05-26T15:00:00+00:00'],
    ['posted_at', '2026-05-26T00:30:00+02:00', '2026-05-25T22:30:00+00:00'],
    ['posted_at', '2026-05-26T15:00', '2026-05-26T15:00:00+00:00'],
    ['posted_at', '1969-12-31T23:59:59.9Z', '1969-12-31T23:59:59+00:00'],
    ['posted_at', null, null],
    ['featured_image', image, image],
    ['featured_image', { large: image.large, huge: 'https://a.example/' }, { large: image.large }],
    ['featured_image', {}, {}],
    ['featured_image', null, {}],
    ['category_ids', [], []],
    ['colour', 'red', undefined],
  ])('for the member %s accepts %j', async (member, value, stored) => {
    const { status, data } = await change({ [member]: value })
    expect(status).toBe(200)
    expect(data).toEqual({ ...data, [member]: stored })
    expect(await get()).toEqual(data)
  })

  it.each<[string, unknown, string?]>([
    ['title', ''],
    ['title', '\u3000'],
    ['title', null],
    ['title', 7],
    ['title', 'x'.repeat(256)],
    ['title', 'a\ud800b'],
    ['slug', null],
    ['slug', 'a b'],
    ['slug', '\udc00'],
    ['body', null],
    ['body', { html: '' }],
    ['body', '<p>\ud83d</p>'],
    ['short_description', 'x'.repeat(501)],
    ['short_description', '\ud800'],
    ['short_description', false],
    ['seo_title', 'é'.repeat(61)],
    ['meta_desc', 'x'.repeat(156)],
    ['content_type', 'Post'],
    ['content_type', ''],
    ['content_type', null],
    ['is_published', 'true'],
    ['is_published', 1],
    ['is_published', null],
    ['posted_at', '2026-02-29'],
    ['posted_at', '2026-05-26T24:01'],
    ['posted_at', 'May 26, 2026'],
    ['posted_at', ''],
    ['posted_at', 1_780_000_000],
    ['category_ids', null],
    ['category_ids', 1],
    ['category_ids', ['1'], 'category_ids.0'],
    ['category_ids', [1.5], 'category_ids.0'],
    ['category_ids', [0], 'category_ids.0'],
    ['category_ids', Array.from({ length: 13 }, (_, n) => n + 1)],
    ['category_ids', [999_999], 'category_ids.0'],
    ['author_id', null],
    ['author_id', '1'],
    ['author_id', 999_999],
    ['featured_image', 'https://a.example/x.png'],
    ['featured_image', []],
    ['featured_image', { large: null }, 'featured_image.large'],
    ['featured_image', { large: '' }, 'featured_image.large'],
    ['featured_image', { large: 'https://a.example/\tx.png' }, 'featured_image.large'],
    ['featured_image', { medium: '/x.png' }, 'featured_image.medium'],
    ['featured_image', { original: 'data:image/png;base64,AA' }, 'featured_image.original'],
    ['featured_image', { thumbnail: `https://a.example/${'x'.repeat(500)}` }, 'featured_image.thumbnail'],
  ])('for the member %s rejects %j', async (member, value, path = member) => {
    const before = await get()
    const { status, code, fields } = await change({ title: 'Changed', [member]: value })
    expect([status, code, Object.keys(fields ?? {})]).toEqual([422, 'VALIDATION_ERROR', [path]])
    expect(await get()).toEqual(before)
  })

  it('reports up to a thousand unknown categories by their indexes, and rejects a longer array', async () => {
    const unknown = (length: number) => change({ category_ids: Array.from({ length }, () => 999_999) })
    const { code, fields } = await unknown(1_000)
    expect([code, Object.keys(fields ?? {}).length]).toEqual(['VALIDATION_ERROR', 1_000])
    expect((await unknown(1_001)).fields).toEqual({ category_ids: ['Must have at most 1000 members.'] })
  })

  it('reports faults of the body first, then all references that are taken or unknown', async () => {
    const { slug } = await world.create.post()
    const badReferences = { slug, author_id: 999_999, category_ids: [999_998, 999_999] }
    expect((await change({ ...badReferences, title: '' })).fields).toEqual({ title: ['Is required.'] })
    expect(Object.keys((await change(badReferences)).fields ?? {}).sort()).toEqual([
      'author_id',
      'category_ids.0',
      'category_ids.1',
      'slug',
    ])
    expect((await change(badReferences, 999_999)).code).toBe('NOT_FOUND')
    expect((await change({ title: '' }, 999_999)).code).toBe('VALIDATION_ERROR')
  })
})

describe('POST /api/v1/admin/posts', () => {
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

  it('makes the caller the author unless the request names another one', async () => {
    const editor = await world.create.user({ abilities: ['admin'] })
    const writer = await world.create.user()
    const createAsEditor = (body: unknown) => world.call(adminPosts.createPost, { token: editor.token, body })
    const own = await createAsEditor({ title: 'T', is_published: true })
    expect(own.data).toMatchObject({ author_id: editor.id, author: { name: editor.name, avatar: null } })
    const { data } = await createAsEditor({ title: 'T', author_id: writer.id })
    expect(data).toMatchObject({ author_id: writer.id, author: { name: writer.name } })
    const publicPost = await world.call(posts.getPost, { params: { slug: own.data.slug } })
    expect(publicPost.data.author).toEqual({ name: editor.name, avatar: null })
  })
})
