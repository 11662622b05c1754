// Another function splits the lists of a post between the reads and the commit of its change.
import { beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands.ts'
import type { UnitOfWork } from '../../shared/events/unit-of-work.ts'
import {
  deletePost,
  type PostRef,
  publishPost,
  unpublishPost,
  updatePost,
} from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { adminList, categoryList, PAGES, POSTS } from '../../shared/posts/lists.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { expectExact } from '../lists/list-world.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

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

describe.each(CASES)('$what', ({ prepare, run }) => {
  it('keeps the lists exact if another function splits them before the commit', async () => {
    const table = openFunction()
    const id = await prepare(table)
    await run(unitOfWorkOn(beforeCommit(table, () => createMany(openFunction(), 12))), { id, requireMatch })
    await expectExactLists()
  })
})
