// Nodes of lists that are read before a post is known in full: how much that saves, and concurrent splits.
import { beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands/create.ts'
import type { UnitOfWork } from '../../shared/events/unit-of-work.ts'
import {
  deletePost,
  type PostRef,
  publishPost,
  unpublishPost,
  updatePost,
} from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import type { PostChange } from '../../shared/posts/fields.ts'
import { adminList, categoryList, PAGES, POSTS } from '../../shared/posts/lists.ts'
import { showAdminPost } from '../../shared/posts/store/admin-posts.ts'
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

async function draft(table: Table) {
  const { id } = await create(table)
  await unpublishPost(unitOfWorkOn(table), { id, requireMatch })
  return id
}

function requireMatch() {
  return undefined
}

async function createMany(table: Table, count: number) {
  for (let n = 0; n < count; n++) await create(table)
}

async function expectExactLists() {
  const forAdmins = [adminList(false, 'post'), adminList(true, 'post')]
  for (const list of [POSTS, PAGES, categoryList(categoryId), ...forAdmins]) {
    await expectExact(world.table, list)
  }
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
    const table = beforeCommit(openFunction(), () => createMany(openFunction(), 12))
    const { id } = await create(table)
    expect(id).toBeGreaterThan(0)
    await expectExactLists()
  })
})

type Case = {
  what: string
  prepare: (table: Table) => Promise<number>
  run: (work: UnitOfWork, ref: PostRef) => Promise<unknown>
}

const CASES: Case[] = [
  { what: 'POST /admin/posts/{id}/publish', prepare: draft, run: publishPost },
  { what: 'POST /admin/posts/{id}/unpublish', prepare: createOne, run: unpublishPost },
  { what: 'DELETE /admin/posts/{id}', prepare: createOne, run: deletePost },
  {
    what: 'PATCH /admin/posts/{id} with another date',
    prepare: createOne,
    run: (work, ref) => updatePost(work, ref, { posted_at: 1_600_000_000 }),
  },
  {
    what: 'PATCH /admin/posts/{id} with another title',
    prepare: createOne,
    run: (work, ref) => updatePost(work, ref, { title: 'Another title' }),
  },
]

async function createOne(table: Table) {
  return (await create(table)).id
}

describe('PATCH /admin/posts/{id}', () => {
  it('returns the author that another function has given to the post since', async () => {
    const table = openFunction()
    const id = await createOne(table)
    const profile = { name: 'Other', email: 'other@example.com', email_verified: true, password_hash: null }
    const other = await createUser(world.table, profile, 1_700_000_000)
    await updatePost(unitOfWorkOn(openFunction()), { id, requireMatch }, { author_id: other.id })
    const { data } = await updatePost(unitOfWorkOn(table), { id, requireMatch }, { title: 'By another' })
    expect(data.author).toMatchObject({ name: 'Other' })
  })
})

describe.each(CASES)('$what', ({ prepare, run }) => {
  it('reads the post and the nodes of its lists in one round trip if this function has shown it', async () => {
    const id = await prepare(openFunction())
    const table = openFunction()
    await createMany(table, 1)
    await draft(table)
    await showAdminPost(table, table, id, Date.now())
    const { used } = await world.measure(() => run(unitOfWorkOn(table), { id, requireMatch }))
    expect(used.roundTrips).toBe(3)
    await expectExactLists()
  })

  it('keeps the lists exact in a function that has not seen the post', async () => {
    const id = await prepare(openFunction())
    await run(unitOfWorkOn(openFunction()), { id, requireMatch })
    await expectExactLists()
  })

  it('keeps the lists exact if another function has made a page of the post since', async () => {
    const table = openFunction()
    const id = await prepare(table)
    const change: PostChange = { content_type: 'page', category_ids: [], posted_at: 1_500_000_000 }
    await updatePost(unitOfWorkOn(openFunction()), { id, requireMatch }, change)
    await run(unitOfWorkOn(table), { id, requireMatch })
    await expectExactLists()
  })

  it('keeps the lists exact if another function splits them before the commit', async () => {
    const table = openFunction()
    const id = await prepare(table)
    const interrupted = beforeCommit(table, () => createMany(openFunction(), 12))
    await showAdminPost(interrupted, interrupted, id, Date.now())
    await run(unitOfWorkOn(interrupted), { id, requireMatch })
    await expectExactLists()
  })

  it('returns 404 for a post that another function deleted', async () => {
    const table = openFunction()
    const id = await prepare(table)
    await deletePost(unitOfWorkOn(openFunction()), { id, requireMatch })
    await expect(run(unitOfWorkOn(table), { id, requireMatch })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
