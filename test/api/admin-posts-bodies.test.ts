// Bodies are stored byte for byte, and the excerpt and the reading time follow them.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { LEFTOVER_PARTITION } from '../../shared/table/design.ts'
import { noise } from '../world/noise.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const MIB = 1024 * 1024
/** Compresses to three quarters at best, which is far more than one item of the table holds. */
function randomBody(bytes: number) {
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
    ['all kinds of white space in a body', '\ufeff\r\n<p>\r a \t\u00a0\u2028\u2029\n\n</p>  '],
    ['characters of all planes in a body', '😀👩‍👩‍👧 e\u0301 \u0000 \u007f 𝓗 \uffff 東京 \u{10ffff}'],
    ['a body that is not HTML', '<p <b> </ & &amp; &#x1F600; "\'\\ ]]> <!-- '],
    ['script and style in a body', '<script>alert("1 < 2")</script><style>p > b {}</style>'],
  ])('stores %s unchanged', async (_what, body) => {
    const { id, slug, body: returned } = await world.create.livePost({ body })
    expect([returned, await bodyOf(id), await publicBody(slug)]).toEqual([body, body, body])
  })

  it('stores the largest bodies, even one that hardly compresses and one that JSON escapes completely', async () => {
    for (const body of [randomBody(1.9 * MIB), `"\\\n`.repeat(MIB / 3 - 100)]) {
      const { id, slug } = await world.create.livePost({ body })
      expect((await bodyOf(id)) === body).toBe(true)
      expect((await publicBody(slug)) === body).toBe(true)
    }
  })
})

describe('PATCH /api/v1/admin/posts/{id}', () => {
  it('replaces a large body by a large or a small one, and leaves replaced bodies to the sweep', async () => {
    const [first, second] = [randomBody(1.5 * MIB), randomBody(1.5 * MIB)]
    const { id, slug } = await world.create.livePost({ body: first })
    for (const [n, body] of [second, 'small', first].entries()) {
      expect((await change(id, { body })).data.version).toBe(n + 2)
      expect((await bodyOf(id)) === body).toBe(true)
      expect((await publicBody(slug)) === body).toBe(true)
    }
    expect((await change(id, { body: first, title: 'Same body' })).data.version).toBe(5)
    expect((await bodyOf(id)) === first).toBe(true)
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id } })
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
    for (const body of [...bodies, ...bodies]) calls.push(change(id, { body }), read(), read())
    for (const answer of await Promise.all(calls)) {
      const body = Array.isArray(answer) ? answer[0]?.body : answer.data.body
      expect(bodies.includes(body ?? '')).toBe(true)
    }
  })
})
