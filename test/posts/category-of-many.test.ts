// Deleting a category with many posts costs what it costs with one.
import { beforeAll, describe, expect, it } from 'vitest'
import { createCategory, deleteCategory } from '../../shared/categories/commands.ts'
import type { UnitOfWork } from '../../shared/events/unit-of-work.ts'
import { categoryList } from '../../shared/posts/lists.ts'
import { timeOrder } from '../../shared/table/design.ts'
import { change } from '../lists/list-world.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const world = useTable()
let work: UnitOfWork
beforeAll(async () => {
  work = unitOfWorkOn(world.table, Date.parse('2026-01-01T12:00:00Z'))
})

/** Writes list entries as the commands do, as many as fit into a transaction. */
async function fill(id: number, count: number) {
  const entries = Array.from({ length: count }, (_, n) => ({
    list: categoryList(id),
    order: timeOrder(1_500_000_000 + n, n + 1),
    item: { id: n + 1, is_published: true, posted_at: 1_500_000_000 + n, category_ids: [id] },
  }))
  for (let n = 0; n < count; n += 90) await change(world.table, [], entries.slice(n, n + 90))
}

async function costOfDeletingWith(posts: number) {
  const { data } = await createCategory(work, { name: 'A category', description: '' })
  await fill(data.id, posts)
  const ref = { id: data.id, requireMatch: () => undefined }
  return (await world.measure(() => deleteCategory(work, ref))).used
}

describe('deleteCategory', () => {
  it('needs as many round trips and units with a thousand posts as with one', async () => {
    const [one, full] = [await costOfDeletingWith(1), await costOfDeletingWith(1_000)]
    expect([full.calls, full.roundTrips]).toEqual([one.calls, one.roundTrips])
    expect([full.readUnits, full.writeUnits]).toEqual([one.readUnits, one.writeUnits])
  })
})
