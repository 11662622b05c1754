// The largest change that one request can make fits into one transaction of DynamoDB: at most 100 actions.
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createCategory } from '../../shared/categories/commands.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import type { PostChange } from '../../shared/posts/fields.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const NOW_SECONDS = 1_800_000_000
const MAX_ACTIONS = 100
const Transaction = z.object({ TransactItems: z.array(z.unknown()) })

const world = useTable()
let largest = 0
beforeAll(async () => {
  world.client.around((next, _, input) => {
    const { TransactItems = [] } = z.partial(Transaction).parse(input)
    largest = Math.max(largest, TransactItems.length)
    return next()
  })
})

function unitOfWorkAt(nowSeconds: number) {
  return unitOfWorkOn(world.table, nowSeconds * 1000)
}

async function createTwelveCategories() {
  const ids = []
  for (let n = 0; n < 12; n++) {
    ids.push((await createCategory(unitOfWorkAt(NOW_SECONDS), { name: 'Category', description: '' })).data.id)
  }
  return ids
}

function largeBody() {
  return randomBytes(200_000).toString('base64')
}

function anyVersion() {
  return undefined
}

function change(id: number, members: PostChange) {
  return updatePost(unitOfWorkAt(NOW_SECONDS), { id, requireMatch: anyVersion }, members)
}

/** Scheduled a minute ago for half a minute ago, and not announced. */
async function overduePost(category_ids: number[]) {
  const input = { title: 'T', body: largeBody(), category_ids, is_published: true }
  return (await createPost(unitOfWorkAt(NOW_SECONDS - 60), { ...input, posted_at: NOW_SECONDS - 30 }, 1)).data
    .id
}

describe('one transaction', () => {
  const newMembers = () => ({ title: 'Other', body: largeBody() })

  it.each<[string, (category_ids: number[]) => PostChange]>([
    [
      'stays live and changes all members',
      category_ids => ({ ...newMembers(), slug: 'a', category_ids, posted_at: NOW_SECONDS - 90 }),
    ],
    [
      'is rescheduled and changes all members',
      category_ids => ({ ...newMembers(), slug: 'b', category_ids, posted_at: NOW_SECONDS + 90 }),
    ],
    ['becomes a page', () => ({ ...newMembers(), slug: 'c', content_type: 'page' })],
    [
      'becomes a draft page',
      () => ({ ...newMembers(), slug: 'd', content_type: 'page', is_published: false }),
    ],
  ])('holds the change of an overdue post in 12 categories that %s', async (_what, membersOf) => {
    const [before, after] = [await createTwelveCategories(), await createTwelveCategories()]
    const id = await overduePost(before)
    largest = 0
    const { data } = await change(id, membersOf(after))
    expect(data.version).toBe(2)
    expect(largest).toBeGreaterThan(30)
    // The stored answer of an idempotent request needs one more action.
    expect(largest).toBeLessThan(MAX_ACTIONS)
  })

  it('holds the deletion of an overdue post in 12 categories', async () => {
    const id = await overduePost(await createTwelveCategories())
    largest = 0
    await deletePost(unitOfWorkAt(NOW_SECONDS), { id, requireMatch: anyVersion })
    expect(largest).toBeGreaterThan(30)
    expect(largest).toBeLessThan(MAX_ACTIONS)
  })
})
