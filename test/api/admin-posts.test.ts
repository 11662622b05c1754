// Writes of posts: what their members are stored as, byte for byte in bodies, unknown references, and races.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { LEFTOVER_PARTITION } from '../../shared/table/design.ts'
import { noise } from '../support/noise.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let id = 0
beforeAll(async () => {
  id = (await world.create.post()).id
})

function request(id: number, body?: unknown) {
  return { token: world.admin, params: { id }, body }
}

function change(body: unknown, postId = id) {
  return world.call(adminPosts.changePost, request(postId, body))
}

async function get(postId = id) {
  return (await world.call(adminPosts.getPost, request(postId))).data
}

const AT_MIDNIGHT = '2026-05-26T00:30:00+02:00'
const IMAGE = {
  thumbnail: 'https://a.example/t.png?w=1&h=2#x',
  medium: 'http://münchen.example/m',
  large: 'HTTPS://a.example:8443',
}

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it.each([
    [
      { title: '\t A  title \n', body: '  <p> </p>\n', short_description: ' Short ', seo_title: ' S ' },
      { title: 'A  title', body: '  <p> </p>\n', short_description: 'Short', seo_title: 'S' },
    ],
    [
      { content_type: 'page', posted_at: AT_MIDNIGHT, featured_image: { ...IMAGE, huge: IMAGE.large } },
      { content_type: 'page', posted_at: '2026-05-25T22:30:00+00:00', featured_image: IMAGE },
    ],
    [
      { short_description: null, seo_title: ' ', meta_desc: null, posted_at: null, featured_image: null },
      { short_description: '', seo_title: '', meta_desc: '', posted_at: null, featured_image: {} },
    ],
  ])('stores %j as %j', async (body, stored) => {
    const { status, data } = await change(body)
    expect([status, data]).toEqual([200, { ...data, ...stored }])
    expect(await get()).toEqual(data)
  })

  it('reports faults of the body first, then all references that are taken or unknown', async () => {
    const { slug } = await world.create.post()
    const badReferences = { slug, author_id: 999_999, category_ids: [999_998, 999_999] }
    expect((await change({ ...badReferences, title: '' })).fields).toEqual({ title: ['Is required.'] })
    const named = ['author_id', 'category_ids.0', 'category_ids.1', 'slug']
    expect(Object.keys((await change(badReferences)).fields ?? {}).sort()).toEqual(named)
    expect((await change(badReferences, 999_999)).code).toBe('NOT_FOUND')
  })
})

describe('POST /api/v1/admin/posts', () => {
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

const MIB = 1024 * 1024
/** Compresses to three quarters at best, which is far more than one item of the table holds. */
function randomBody(bytes: number) {
  return `<p>${noise(bytes)}</p>`
}

async function publicBody(slug: string) {
  return (await world.call(posts.getPost, { params: { slug } })).data.body
}

describe('POST /api/v1/admin/posts', () => {
  it.each([
    ['all kinds of white space in a body', '\ufeff\r\n<p>\r a \t\u00a0\u2028\u2029\n\n</p>  '],
    ['characters of all planes in a body', '😀👩‍👩‍👧 e\u0301 \u0000 \u007f 𝓗 \uffff 東京 \u{10ffff}'],
    ['a body that is not HTML', '<p <b> </ & &amp; &#x1F600; "\'\\ ]]> <!-- '],
    ['script and style in a body', '<script>alert("1 < 2")</script><style>p > b {}</style>'],
  ])('stores %s unchanged', async (_what, body) => {
    const { id, slug, body: returned } = await world.create.livePost({ body })
    expect([returned, (await get(id)).body, await publicBody(slug)]).toEqual([body, body, body])
  })

  it('stores the largest bodies, even one that hardly compresses and one that JSON escapes completely', async () => {
    for (const body of [randomBody(1.9 * MIB), `"\\\n`.repeat(MIB / 3 - 100)]) {
      const { id, slug } = await world.create.livePost({ body })
      expect((await get(id)).body === body).toBe(true)
      expect((await publicBody(slug)) === body).toBe(true)
    }
  })
})

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('replaces a large body by a large or a small one, and leaves replaced bodies to the sweep', async () => {
    const [first, second] = [randomBody(1.5 * MIB), randomBody(1.5 * MIB)]
    const { id, slug } = await world.create.livePost({ body: first })
    for (const [n, body] of [second, 'small', first].entries()) {
      expect((await change({ body }, id)).data.version).toBe(n + 2)
      expect((await get(id)).body === body).toBe(true)
      expect((await publicBody(slug)) === body).toBe(true)
    }
    expect((await change({ body: first, title: 'Same body' }, id)).data.version).toBe(5)
    expect((await get(id)).body === first).toBe(true)
    await world.call(adminPosts.deletePost, request(id))
    const leftovers = await world.table.query({ pk: LEFTOVER_PARTITION }, z.looseObject({ sk: z.string() }))
    expect(leftovers.length).toBeGreaterThanOrEqual(3)
  })
})

describe('GET /api/v1/posts', () => {
  it('returns one complete body, old or new, while bodies are replaced', async () => {
    const bodies = [randomBody(0.3 * MIB), randomBody(0.3 * MIB), 'small']
    const category = await world.create.category()
    const { id } = await world.create.livePost({ body: bodies[0], category_ids: [category.id] })
    const read = async () =>
      (await world.call(posts.listPosts, { query: { category: category.slug, include: 'body' } })).data
    const calls = []
    for (const body of [...bodies, ...bodies]) calls.push(change({ body }, id), read(), read())
    for (const answer of await Promise.all(calls)) {
      const body = Array.isArray(answer) ? answer[0]?.body : answer.data.body
      expect(bodies.includes(body ?? '')).toBe(true)
    }
  })
})

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('applies each of ten concurrent changes', async () => {
    const post = await world.create.livePost()
    const bodies = Array.from({ length: 10 }, (_, n) => ({ title: `Title ${n}` }))
    const answers = await Promise.all(bodies.map(body => change(body, post.id)))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const versions = answers.map(({ data }) => data.version).sort((a, b) => a - b)
    expect(versions).toEqual(bodies.map((_, n) => n + 2))
    const last = answers.find(({ data }) => data.version === 11)?.data
    expect(await get(post.id)).toEqual(last)
  })

  it('never leaves a post in a category that is deleted at the same time', async () => {
    const category = await world.create.category()
    const post = await world.create.livePost()
    const [answer] = await Promise.all([
      change({ category_ids: [category.id] }, post.id),
      world.call(adminCategories.deleteCategory, request(category.id)),
    ])
    expect(answer.fields ?? answer.data.category_ids).toEqual(
      answer.fields ? { 'category_ids.0': ['Does not exist.'] } : [category.id],
    )
    expect((await get(post.id)).category_ids).toEqual([])
  })
})

describe('POST /api/v1/admin/posts/{id}/publish', () => {
  it('fires one event for ten concurrent requests', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const { id } = await world.create.post()
    const publish = () => world.call(adminPosts.publishPost, request(id))
    const answers = await Promise.all(Array.from({ length: 10 }, publish))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const later = await world.create.livePost()
    await until('the event of a later post', () =>
      subscriber.received.some(({ data }) => data.id === later.id),
    )
    expect(subscriber.events()).toEqual(['post.published', 'post.published'])
  })
})

describe('PATCH /api/v1/admin/categories/{id}', () => {
  it('applies each of ten concurrent changes while posts are added to the category', async () => {
    const { id, slug } = await world.create.category()
    const names = Array.from({ length: 10 }, (_, n) => `Name ${n}`)
    const rename = (name: string) =>
      world.call(adminCategories.changeCategory, request(id, { name, description: name }))
    const [answers] = await Promise.all([
      Promise.all(names.map(rename)),
      Promise.all(names.map(() => world.create.livePost({ category_ids: [id] }))),
    ])
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    const { data } = await world.call(adminCategories.getCategory, request(id))
    const { pagination } = await world.call(categories.listPostsOfCategory, { params: { slug } })
    expect([data.description, data.posts_count, pagination.total]).toEqual([data.name, 10, 10])
  })
})
