// GET /api/v1/changes through the gateway. test/changes and the copies of builders in test/histories prove
// what it says, and when.
import { describe, expect, it } from 'vitest'
import { categories } from '../../shared/categories/contract.ts'
import { changes } from '../../shared/changes/contract.ts'
import { posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

type Query = { since?: string; limit?: number; include?: string }

function ask(query: Query = {}) {
  return world.call(changes.listChanges, { query })
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

  it('returns 422 for an unknown include, and for a limit above 100', async () => {
    expect((await ask({ include: 'all' })).fields).toHaveProperty('include')
    expect((await ask({ limit: 101 })).fields).toHaveProperty('limit')
  })
})
