// GET /api/v1/changes through the gateway: what a builder gets, when, and what each writer of content adds.
import { describe, expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { changes } from '../../shared/changes/contract.ts'
import { PLACES_PER_MS } from '../../shared/feed/age.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { adminSite, site } from '../../shared/site/contract.ts'
import { versionKey } from '../../shared/table/design.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { postDueSoon } from './due-soon.ts'

const world = useWorld()

type Query = { since?: string; limit?: number; include?: string }

function ask(query: Query = {}, headers: Record<string, string> = {}) {
  return world.call(changes.listChanges, { query, headers })
}

async function cursorNow() {
  const { data, cursor } = await ask()
  expect([data, cursor.more]).toEqual([[], false])
  return cursor.next ?? ''
}

describe('GET /api/v1/changes', () => {
  it('lists what has changed since the cursor, with what the public endpoints answer', async () => {
    const { id: categoryId, slug: categorySlug } = await world.create.category()
    const since = await cursorNow()
    const { id, slug } = await world.create.livePost({ body: '<p>Body</p>', category_ids: [categoryId] })
    await world.create.post()
    const listed = (await world.call(posts.listPosts)).data.find(post => post.id === id)
    const single = (await world.call(posts.getPost, { params: { slug } })).data
    const category = (await world.call(categories.getCategory, { params: { slug: categorySlug } })).data
    expect((await ask({ since })).data).toMatchObject([
      { type: 'post', id, slug, change: 'upserted' },
      { type: 'category', id: categoryId, slug: categorySlug, change: 'upserted' },
    ])
    const items = async (include: string) => (await ask({ since, include })).data.map(({ item }) => item)
    expect(await items('item')).toEqual([listed, category])
    expect(await items('body')).toEqual([single, category])
  })

  it('includes a body that is stored in parts', async () => {
    const since = await cursorNow()
    const body = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join(' ')
    await world.create.livePost({ body })
    expect((await ask({ since, include: 'body' })).data).toMatchObject([{ item: { body } }])
  })

  it('repeats the cursor without a change, and answers If-None-Match with 304', async () => {
    const since = await cursorNow()
    const first = await ask({ since })
    expect([first.data, first.cursor]).toEqual([[], { next: since, more: false }])
    const again = await ask({ since }, { 'If-None-Match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    await world.create.livePost()
    expect((await ask({ since }, { 'If-None-Match': first.headers.get('etag') ?? '' })).status).toBe(200)
  })

  it('returns 422 for a cursor that is broken or of another list, and for an unknown include', async () => {
    const since = await cursorNow()
    await world.create.livePost()
    await world.create.livePost()
    const { cursor } = await world.call(posts.listPosts, { query: { per_page: 1 } })
    for (const broken of ['', 'x', `${since.slice(0, -4)}AAAA`, cursor.next ?? 'x']) {
      const { status, fields } = await ask({ since: broken })
      expect([status, Object.keys(fields ?? {})]).toEqual([422, ['since']])
    }
    expect((await ask({ include: 'all' })).fields).toHaveProperty('include')
    expect((await ask({ limit: 101 })).fields).toHaveProperty('limit')
  })

  it('has a change before its webhook arrives', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['post.published', 'post.unpublished'] })
    const since = await cursorNow()
    for (const [n, event] of ['post.published', 'post.unpublished'].entries()) {
      const { id, slug } = await world.create.livePost()
      if (n === 1) await world.call(adminPosts.unpublishPost, { token: world.admin, params: { id } })
      await until(`${event} of ${id}`, () => subscriber.named(event).some(({ data }) => data.id === id))
      const change = n === 0 ? 'upserted' : 'removed'
      expect((await ask({ since })).data).toContainEqual(
        expect.objectContaining({ type: 'post', id, slug, change }),
      )
    }
  })

  it('has a scheduled post at its second', async () => {
    const since = await cursorNow()
    const { post, dueMs, result } = await postDueSoon(world, {}, async () => (await ask({ since })).data)
    expect(result.filter(({ id }) => id === post.id)).toEqual([])
    await until('the second of posted_at', () => Date.now() >= dueMs)
    expect((await ask({ since })).data).toContainEqual(expect.objectContaining({ id: post.id, type: 'post' }))
  })

  it('misses no change of a writer whose clock is behind that of the last one', async () => {
    const token = world.admin
    const { id: categoryId } = await world.create.category()
    await world.create.livePost()
    const since = await cursorNow()
    const setAhead = (ms: number) =>
      world.table.write({
        Update: {
          Key: versionKey,
          UpdateExpression: 'SET last_change = :place',
          ExpressionAttributeValues: { ':place': (Date.now() + ms) * PLACES_PER_MS },
        },
      })
    const { post } = await postDueSoon(world, {}, async () => setAhead(60_000))
    await until('the announcement', async () => {
      const { data } = await ask({ since })
      return data.some(change => change.id === post.id)
    })
    await until('all queues to be empty', world.isIdle)
    const writes = [
      () => world.create.livePost({ slug: 'of-a-late-clock' }),
      () =>
        world.call(adminCategories.changeCategory, {
          token,
          params: { id: categoryId },
          body: { name: 'Late' },
        }),
      () => world.call(me.changeMe, { token, body: { name: 'Late' } }),
      () => world.call(adminSite.changeSettings, { token, body: { 'general.site_name': 'Late' } }),
      () => world.call(adminSite.putMenu, { token, params: { location: 'late' }, body: { items: [] } }),
    ]
    let cursor = since
    for (const [n, write] of writes.entries()) {
      await setAhead((n + 2) * 60_000)
      await write()
      const answer = await ask({ since: cursor, limit: 100 })
      expect(answer.data.length, String(n)).toBeGreaterThan(0)
      cursor = answer.cursor.next ?? ''
    }
    const named = (await ask({ since, limit: 100 })).data.map(({ type, slug }) => `${type} ${slug}`)
    expect(named).toEqual(
      expect.arrayContaining(['post of-a-late-clock', 'all null', 'settings null', 'menu late']),
    )
    expect((await world.call(site.getPublicSettings)).data['general.site_name']).toBe('Late')
  })
})
