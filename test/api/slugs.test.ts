// Slugs of posts and categories: named by the caller or derived, requested concurrently, looked up.
import { describe, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

function create(body: unknown) {
  return world.call(adminPosts.createPost, { token: world.admin, body })
}

function concurrently<T>(count: number, call: (n: number) => Promise<T>) {
  return Promise.all(Array.from({ length: count }, (_, n) => call(n)))
}

function numbered(slug: string, most: number) {
  return Array.from({ length: most }, (_, n) => (n === 0 ? slug : `${slug}-${n + 1}`))
}

describe('POST /api/v1/admin/posts', () => {
  it('numbers a slug derived from a title, by the id after ten, and rejects a named slug that is taken', async () => {
    const created = []
    for (let n = 0; n < 12; n++) created.push((await create({ title: 'Same title' })).data)
    expect(created.slice(0, 10).map(({ slug }) => slug)).toEqual(numbered('same-title', 10))
    for (const { slug, id } of created.slice(10)) expect(slug).toBe(`same-title-${id}`)
    expect((await create({ title: 'T', slug: 'same-title' })).fields).toEqual({ slug: ['Is already taken.'] })
    expect((await create({ title: '🚀', content_type: 'page' })).data.slug).toBe('page')
  })

  it('numbers the slugs of five concurrent requests with one title', async () => {
    const answers = await concurrently(5, () => create({ title: 'Rush hour' }))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(answers.map(({ data }) => data.slug).sort()).toEqual(numbered('rush-hour', 5).sort())
  })

  it('derives another slug if even the one with the id is taken', async () => {
    const { id } = await world.create.post()
    await concurrently(10, n => create({ title: 'Blocked', slug: numbered('blocked', 10)[n] }))
    for (let n = 0; n < 5; n++) await create({ title: 'T', slug: `blocked-${id + 10 + 5 + 1 + n}` })
    const { status, data } = await create({ title: 'Blocked' })
    expect(status).toBe(201)
    expect(data.slug).toMatch(/^blocked-\d+$/)
  })

  it('derives the slug from the title if it is empty', async () => {
    expect((await create({ title: 'Empty slug', slug: '  ' })).data.slug).toBe('empty-slug')
  })

  it('gives a slug to only one of fifty concurrent requests, and fires one event', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const body = { title: 'T', slug: 'wanted', is_published: true }
    const answers = await concurrently(50, () => create(body))
    const failed = answers.filter(({ status }) => status !== 201)
    expect(failed).toHaveLength(49)
    for (const { fields } of failed) expect(fields).toEqual({ slug: ['Is already taken.'] })
    await until('all queues to be empty', world.isIdle)
    expect(subscriber.events()).toEqual(['post.published'])
    expect((await world.call(posts.getPost, { params: { slug: body.slug } })).status).toBe(200)
  })
})

describe('GET /api/v1/posts/{slug}', () => {
  it('finds a slug in any Unicode normalization form, but not similar slugs', async () => {
    const { id } = await world.create.livePost({ slug: 'a\u0302ge' })
    const statusOf = async (slug: string) => (await world.call(posts.getPost, { params: { slug } })).status
    expect(await Promise.all(['âge', 'a\u0302ge'].map(statusOf))).toEqual([200, 200])
    expect(await Promise.all(['Âge', 'age', 'âge '].map(statusOf))).toEqual([404, 404, 404])
    const query = { slug: 'a\u0302ge' }
    const { data } = await world.call(adminPosts.listPosts, { token: world.admin, query })
    expect(data.map(post => [post.id, post.slug])).toEqual([[id, 'âge']])
  })
})
