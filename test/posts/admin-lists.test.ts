// Lists for admins refer to posts, which may change between the reads of a list and of its posts.
import { beforeAll, expect, it } from 'vitest'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { adminList } from '../../shared/posts/lists.ts'
import { adminReads } from '../../shared/posts/store/post-lists.ts'
import type { Table } from '../../shared/table/client.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const world = useTable()
const ids: number[] = []
beforeAll(async () => {
  for (const title of ['One', 'Two', 'Three', 'Four']) {
    ids.push((await createPost(unitOfWorkOn(world.table), { title }, 1)).data.id)
  }
})

function requireMatch() {
  return undefined
}

it('a page of drafts leaves out those that were published or deleted since its list was read', async () => {
  const [one = 0, two = 0, three = 0, four = 0] = ids
  const findMany: Table['findMany'] = async keys => {
    await updatePost(unitOfWorkOn(world.table), { id: two, requireMatch }, { is_published: true })
    await deletePost(unitOfWorkOn(world.table), { id: three, requireMatch })
    return await world.table.findMany(keys)
  }
  const idsOf = async (table: Table, drafts: boolean) =>
    (await adminReads(table, adminList(drafts, undefined)).page(1, 10)).items.map(({ id }) => id)
  expect(await idsOf({ ...world.table, findMany }, true)).toEqual([four, one])
  expect(await idsOf(world.table, true)).toEqual([four, one])
  expect(await idsOf(world.table, false)).toEqual([four, two, one])
})
