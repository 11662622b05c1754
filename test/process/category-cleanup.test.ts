// Deleting a large category: it disappears immediately, and its cleanup continues after a kill.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { openStateTarget } from '../../infra/operator/local-target.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { categoryList } from '../../shared/posts/lists.ts'
import type { Table } from '../../shared/table/client.ts'
import { ENTRIES_END, listPartition, timeOrder } from '../../shared/table/design.ts'
import { change } from '../lists/list-world.ts'
import { newFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import { startProcess } from './service.ts'

const POSTS = process.env.SOAK ? 5_000 : 1_000
/** The number of entries that fit into a transaction together with the nodes of their list. */
const BULK = 90

/** The lowest remaining key of the list. */
async function lowest(table: Table, id: number): Promise<string | undefined> {
  const span = { pk: listPartition(categoryList(id).name), only: ['sk'], limit: 1 }
  const [first] = await table.query(span, z.object({ sk: z.string() }))
  return first?.sk
}

/** Fills up the list in bulk with copies of its one entry. */
async function fill(table: Table, id: number) {
  const span = { pk: listPartition(categoryList(id).name), to: ENTRIES_END }
  const [entry] = await table.query(span, z.object({ item: z.record(z.string(), z.unknown()) }))
  const entries = Array.from({ length: POSTS }, (_, n) => ({
    list: categoryList(id),
    order: timeOrder(1_500_000_000 + n, 1_000_000 + n),
    item: { ...entry?.item },
  }))
  for (let n = 0; n < POSTS; n += BULK) await change(table, [], entries.slice(n, n + BULK))
}

describe('DELETE /api/v1/admin/categories/{id}', () => {
  it(`hides a category of ${POSTS} posts immediately and cleans it up even if the service is killed`, async () => {
    const state = await newFolder()
    const first = await startProcess(state)
    const { call, token } = first
    const category = (await call(adminCategories.createCategory, { token, body: { name: 'Large' } })).data
    const body = { title: 'A post', is_published: true, category_ids: [category.id] }
    const post = (await call(adminPosts.createPost, { token, body })).data
    const running = await openStateTarget(state)
    await fill(running.table, category.id)
    const slug = category.slug
    const params = { slug }
    const before = (await call(categories.getCategory, { params })).data
    expect(before.posts_count).toBe(POSTS + 1)

    const firstKey = await lowest(running.table, category.id)
    const deleted = await call(adminCategories.deleteCategory, { token, params: { id: category.id } })
    expect(deleted.status).toBe(200)
    expect((await call(categories.getCategory, { params })).status).toBe(404)
    expect((await call(categories.listPostsOfCategory, { params })).status).toBe(404)
    expect((await call(posts.listPosts, { query: { category: slug } })).pagination.total).toBe(0)
    expect((await call(posts.getPost, { params: { slug: post.slug } })).data.categories).toEqual([])
    await until('a step of the cleanup', async () => (await lowest(running.table, category.id)) !== firstKey)
    await first.kill()
    await running.close()

    await startProcess(state)
    const again = await openStateTarget(state)
    await until('an empty list', async () => !(await lowest(again.table, category.id)))
    await again.close()
  })
})
