// A page with bodies reads no more bodies than an answer can contain.
import { describe, expect, it } from 'vitest'
import { createPost } from '../../shared/posts/commands/create.ts'
import { POSTS } from '../../shared/posts/lists.ts'
import { withBodies } from '../../shared/posts/store/bodies.ts'
import { publicReads } from '../../shared/posts/store/post-lists.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const NOW_SECONDS = 1_800_000_000
const MIB = 1024 * 1024

const world = useTable()

function create(body: string) {
  const work = unitOfWorkOn(world.table, NOW_SECONDS * 1000)
  return createPost(work, { title: 'T', body, is_published: true }, 1)
}

describe('withBodies', () => {
  it('stops after the body that makes the page larger than any answer', async () => {
    for (let n = 0; n < 12; n++) await create(`${n}${'x'.repeat(1.9 * MIB)}`)
    const { items } = await publicReads(world.table, POSTS, NOW_SECONDS).page(1, 12)
    expect(items).toHaveLength(12)
    const posts = await withBodies(world.table, items, NOW_SECONDS)
    expect(posts.length).toBeGreaterThan(3)
    expect(posts.length).toBeLessThan(12)
    expect(posts.map(({ post }) => post.id)).toEqual(items.slice(0, posts.length).map(({ id }) => id))
    const bytes = posts.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
    expect(bytes).toBeGreaterThan(6_000_000)
  })

  it('leaves out a post that is no longer public after the page was read', async () => {
    const { data } = await create('Hidden')
    const { items } = await publicReads(world.table, POSTS, NOW_SECONDS).page(1, 1)
    expect(items.map(({ id }) => id)).toEqual([data.id])
    expect(await withBodies(world.table, items, NOW_SECONDS - 1)).toEqual([])
  })
})
