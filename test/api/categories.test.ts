// Categories: for readers and admins the same fields, and a count that always is the total of the list.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { listPartition } from '../../shared/table/design.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function create(body: unknown) {
  return world.call(adminCategories.createCategory, { token: world.admin, body })
}

function change(id: number, body: unknown) {
  return world.call(adminCategories.changeCategory, { token: world.admin, params: { id }, body })
}

async function read(slug: string) {
  return (await world.call(categories.getCategory, { params: { slug } })).data
}

describe('POST /api/v1/admin/categories', () => {
  it('makes the slug from the name and numbers it; names need not be unique', async () => {
    const first = await create({ name: ' Été  à Paris ' })
    expect(first.status).toBe(201)
    expect(first.data).toEqual({
      id: first.data.id,
      name: 'Été  à Paris',
      slug: 'ete-a-paris',
      description: '',
      posts_count: 0,
    })
    expect((await create({ name: 'Été  à Paris' })).data.slug).toBe('ete-a-paris-2')
    expect((await create({ name: 'N', slug: 'ete-a-paris' })).fields).toEqual({ slug: ['Is already taken.'] })
  })

  it('gives a slug to one of twenty that want it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'N', slug: 'wanted' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 422),
    ])
  })

  it('has a space of slugs of its own, and reports all faults at once', async () => {
    const post = await world.given.post({ slug: 'shared-slug' })
    expect((await create({ name: 'N', slug: post.slug })).status).toBe(201)
    const { fields } = await create({ name: 'x'.repeat(101), slug: '-', description: 'x'.repeat(1001) })
    expect(Object.keys(fields ?? {}).sort()).toEqual(['description', 'name', 'slug'])
  })
})

describe('GET /api/v1/categories', () => {
  it('lists by name without case and diacritics', async () => {
    for (const name of ['zebra', 'Éclair', 'eclair', 'apple']) await create({ name })
    const { data } = await world.call(categories.listCategories)
    const names = data
      .map(({ name }) => name)
      .filter(name => ['zebra', 'Éclair', 'eclair', 'apple'].includes(name))
    expect(names).toEqual(['apple', 'Éclair', 'eclair', 'zebra'])
    expect((await world.call(adminCategories.listCategories, { token: world.admin })).data).toEqual(data)
  })

  it('counts live posts only: no drafts, no pages, nothing whose time is to come', async () => {
    const { id, slug } = await world.given.category()
    const ids = { category_ids: [id] }
    const live = await world.given.livePost(ids)
    await world.given.post(ids)
    await world.given.livePost({ ...ids, content_type: 'page' })
    await world.given.livePost({ ...ids, posted_at: '2999-01-01' })
    const total = async () =>
      (await world.call(posts.listPosts, { query: { category: slug } })).pagination.total
    expect([(await read(slug)).posts_count, await total()]).toEqual([1, 1])
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: live.id } })
    expect([(await read(slug)).posts_count, await total()]).toEqual([0, 0])
  })
})

describe('PATCH /api/v1/admin/categories/{id}', () => {
  it('renames at once, everywhere', async () => {
    const { id, slug } = await world.given.category()
    const post = await world.given.livePost({ category_ids: [id] })
    await change(id, { name: 'Renamed', slug: 'renamed', description: 'D' })
    expect(await read('renamed')).toEqual({
      id,
      name: 'Renamed',
      slug: 'renamed',
      description: 'D',
      posts_count: 1,
    })
    expect((await world.call(categories.getCategory, { params: { slug } })).code).toBe('NOT_FOUND')
    expect((await world.call(posts.getPost, { params: { slug: post.slug } })).data.categories).toEqual([
      { id, name: 'Renamed', slug: 'renamed' },
    ])
    const taken = await world.given.category()
    expect((await change(id, { slug: taken.slug })).fields).toEqual({ slug: ['Is already taken.'] })
  })
})

describe('DELETE /api/v1/admin/categories/{id}', () => {
  it('drops the association from every post at once, and clears its list away', async () => {
    const doomed = await world.given.category()
    const kept = await world.given.category()
    const category_ids = [doomed.id, kept.id]
    const made = await Promise.all(Array.from({ length: 8 }, () => world.given.livePost({ category_ids })))

    await world.call(adminCategories.deleteCategory, { token: world.admin, params: { id: doomed.id } })

    expect((await world.call(categories.getCategory, { params: { slug: doomed.slug } })).code).toBe(
      'NOT_FOUND',
    )
    expect((await world.call(categories.listPostsOfCategory, { params: { slug: doomed.slug } })).code).toBe(
      'NOT_FOUND',
    )
    expect((await world.call(posts.listPosts, { query: { category: doomed.slug } })).pagination.total).toBe(0)
    const { data, pagination } = await world.call(posts.listPosts, {
      query: { category: kept.slug, per_page: 100 },
    })
    expect(pagination.total).toBe(made.length)
    for (const post of data) expect(post.categories.map(({ id }) => id)).toEqual([kept.id])

    const left = () =>
      world.table.query({ pk: listPartition(`category:${doomed.id}`), limit: 1 }, z.unknown())
    await until('its list to be gone', async () => (await left()).length === 0)
    const [first] = made
    const { data: edited } = await world.call(adminPosts.changePost, {
      token: world.admin,
      params: { id: first?.id ?? 0 },
      body: { title: 'Edited' },
    })
    expect(edited.category_ids).toEqual([kept.id])
    expect((await read(kept.slug)).posts_count).toBe(made.length)
  })
})
