// Bodies: whatever fits into a request is kept byte for byte, and what lists show is made of it.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { LEFTOVER_PARTITION } from '../../shared/table/design.ts'
import { noise } from '../world/noise.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const MIB = 1024 * 1024
/** Compresses to three quarters at best: far more than one item of the table holds. */
function random(bytes: number) {
  return `<p>${noise(bytes)}</p>`
}

function change(id: number, body: unknown) {
  return world.call(adminPosts.changePost, { token: world.admin, params: { id }, body })
}

async function bodyOf(id: number) {
  return (await world.call(adminPosts.getPost, { token: world.admin, params: { id } })).data.body
}

async function publicBody(slug: string) {
  return (await world.call(posts.getPost, { params: { slug } })).data.body
}

describe('POST /api/v1/admin/posts', () => {
  it.each([
    ['all kinds of white space', '\ufeff\r\n<p>\r a \t\u00a0\u2028\u2029\n\n</p>  '],
    ['characters of all planes', '😀👩‍👩‍👧 e\u0301 \u0000 \u007f 𝓗 \uffff 東京 \u{10ffff}'],
    ['what is no HTML', '<p <b> </ & &amp; &#x1F600; "\'\\ ]]> <!-- '],
    ['script and style', '<script>alert("1 < 2")</script><style>p > b {}</style>'],
  ])('keeps %s as it came', async (_what, body) => {
    const { id, slug, body: answered } = await world.given.livePost({ body })
    expect([answered, await bodyOf(id), await publicBody(slug)]).toEqual([body, body, body])
  })

  it('keeps the largest bodies, that compress badly or are all escapes in JSON', async () => {
    for (const body of [random(1.9 * MIB), `"\\\n`.repeat(MIB / 3 - 100)]) {
      const { id, slug } = await world.given.livePost({ body })
      expect((await bodyOf(id)) === body).toBe(true)
      expect((await publicBody(slug)) === body).toBe(true)
    }
  })
})

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('replaces a large body by a large one, by a small one and back, leaving the old to the sweep', async () => {
    const [first, second] = [random(1.5 * MIB), random(1.5 * MIB)]
    const { id, slug } = await world.given.livePost({ body: first })
    for (const [n, body] of [second, 'small', first].entries()) {
      expect((await change(id, { body })).data.version).toBe(n + 2)
      expect((await bodyOf(id)) === body).toBe(true)
      expect((await publicBody(slug)) === body).toBe(true)
    }
    expect((await change(id, { body: first, title: 'Same body' })).data.version).toBe(5)
    expect((await bodyOf(id)) === first).toBe(true)
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id } })
    const left = await world.table.query({ pk: LEFTOVER_PARTITION }, z.looseObject({ sk: z.string() }))
    expect(left.length).toBeGreaterThanOrEqual(3)
  })

  it('makes excerpt and reading time anew', async () => {
    const { id, ...post } = await world.given.livePost({
      body: `<h1>Title</h1><p>${'word '.repeat(300)}</p>`,
    })
    expect(post.excerpt).toMatch(/^Title – word( word)+$/)
    expect([post.excerpt.length, post.reading_time]).toEqual([157, 2])
    expect((await change(id, { short_description: 'Short' })).data).toMatchObject({
      excerpt: 'Short',
      short_description: 'Short',
      reading_time: 2,
    })
    expect((await change(id, { body: '<p>New</p>' })).data).toMatchObject({
      excerpt: 'Short',
      reading_time: 1,
    })
    expect((await change(id, { short_description: null })).data).toMatchObject({ excerpt: 'New' })
    const { data } = await world.call(posts.getPost, { params: { slug: post.slug } })
    expect(data).toMatchObject({ excerpt: 'New', reading_time: 1 })
  })
})

describe('GET /api/v1/posts', () => {
  it('shows, while bodies are replaced, always one that was there, whole', async () => {
    const bodies = [random(0.3 * MIB), random(0.3 * MIB), 'small']
    const category = await world.given.category()
    const { id } = await world.given.livePost({ body: bodies[0], category_ids: [category.id] })
    const read = async () =>
      (await world.call(posts.listPosts, { query: { category: category.slug, include: 'body' } })).data
    const reads = []
    for (const body of [...bodies, ...bodies]) reads.push(change(id, { body }), read(), read())
    for (const answer of await Promise.all(reads)) {
      const shown = Array.isArray(answer) ? answer[0]?.body : answer.data.body
      expect(bodies.includes(shown ?? '')).toBe(true)
    }
  })
})
