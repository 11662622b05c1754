// Nodes of lists that are read before a post is known in full: how much that saves, and concurrent splits.
import { beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands/create.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { adminList, categoryList, POSTS } from '../../shared/posts/lists.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { expectExact } from '../lists/list-world.ts'
import { useTable } from '../world/new-table.ts'
import { unitOfWorkOn } from '../world/work.ts'

const SIZES = { range: 4, node: 4 }

const world = useTable()
let authorId: number
let categoryId: number
beforeAll(async () => {
  const profile = { name: 'Author', email: 'author@example.com', email_verified: true, password_hash: null }
  authorId = (await createUser(world.table, profile, 1_700_000_000)).id
  categoryId = (await createCategory(unitOfWorkOn(world.table), { name: 'Category', description: '' })).data
    .id
})

/** A function that remembers nothing of the others. */
function openFunction(): Table {
  return openTable(world.client, world.tableName, SIZES)
}

/** Runs a function once, before the next transaction of the table. */
function beforeCommit(table: Table, run: () => Promise<unknown>): Table {
  let hasRun = false
  const transact: Table['transact'] = async actions => {
    if (!hasRun) {
      hasRun = true
      await run()
    }
    await table.transact(actions)
  }
  return { ...table, transact }
}

let created = 0

async function create(table: Table) {
  created++
  const input = { title: `Post ${created}`, category_ids: [categoryId], is_published: true }
  return (await createPost(unitOfWorkOn(table), input, authorId)).data
}

async function createMany(table: Table, count: number) {
  for (let n = 0; n < count; n++) await create(table)
}

async function expectExactLists() {
  const lists = [POSTS, categoryList(categoryId), adminList(false, undefined), adminList(false, 'post')]
  for (const list of lists) await expectExact(world.table, list)
}

describe('POST /admin/posts', () => {
  it('reads references, id and nodes of lists in one round trip', async () => {
    const table = openFunction()
    await createMany(table, 2)
    const { used } = await world.measure(() => create(table))
    // The second is the transaction. The third is of the test's sender, which deletes the rows of messages.
    expect(used.roundTrips).toBe(3)
    await expectExactLists()
  })

  it('creates the post in exact lists if another function splits them before the commit', async () => {
    const table = beforeCommit(openFunction(), () => createMany(openFunction(), 30))
    const { id } = await create(table)
    expect(id).toBeGreaterThan(0)
    await expectExactLists()
  })
})
