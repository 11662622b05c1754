// The totals of all categories: caches that depend on them, and the limit.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_CATEGORIES } from '../../shared/categories/category.ts'
import { changeCategory, createCategory, deleteCategory } from '../../shared/categories/commands.ts'
import { findTotals, listCachedCategories } from '../../shared/categories/store.ts'
import { setMembers } from '../../shared/table/action.ts'
import { openTable } from '../../shared/table/client.ts'
import { categoryKey, categoryTotalsKey } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'
import type { TableWorld } from '../support/table.ts'
import { until } from '../support/until.ts'
import { unitOfWorkOn } from '../support/work.ts'

let world: TableWorld
beforeEach(async () => {
  world = await newTable()
})
afterEach(() => world.stop())

function work() {
  return unitOfWorkOn(world.table)
}

async function create(name: string) {
  return (await createCategory(work(), { name, description: '' })).data
}

function requireMatch() {
  return undefined
}

/** A function with its own cache. */
function openFunction() {
  const table = openTable(world.client, world.tableName)
  return async () => (await listCachedCategories(table)).map(({ name }) => name)
}

describe('functions that cache the categories', () => {
  it('show each change as soon as its request is answered', async () => {
    const functions = [openFunction(), openFunction()]
    const expectNames = async (names: string[]) => {
      for (const reader of functions) {
        expect(await reader()).toEqual(names)
        // So that the next change meets remembered categories.
        await until('the categories to be remembered', async () => {
          const { used, result } = await world.measure(reader)
          expect(result).toEqual(names)
          return used.calls === 1 && used.readUnits === 1
        })
      }
    }
    const { id } = await create('Bees')
    await expectNames(['Bees'])
    await create('Ants')
    await expectNames(['Ants', 'Bees'])
    await changeCategory(work(), { id, requireMatch }, { name: 'Aardvarks' })
    await expectNames(['Aardvarks', 'Ants'])
    await deleteCategory(work(), { id, requireMatch })
    await expectNames(['Ants'])
  })

  it('keep nothing that they read while a change became visible piece by piece', async () => {
    const { id } = await create('Bees')
    const names = openFunction()
    await world.table.write({ Put: { Item: { ...categoryTotalsKey, revision: 'of the change', count: 1 } } })
    expect(await names()).toEqual(['Bees'])
    await world.table.write({ Update: { Key: categoryKey(id), ...setMembers({ name: 'Wasps' }) } })
    expect(await names()).toEqual(['Wasps'])
  })
})

describe('the number of all categories', () => {
  it('is right after concurrent changes, even the first ones', async () => {
    const created = await Promise.all(Array.from({ length: 12 }, (_, n) => create(`New ${n}`)))
    expect(await findTotals(world.table)).toMatchObject({ count: 12 })
    await Promise.all(
      created.map(({ id }, n) =>
        n % 2 === 0
          ? deleteCategory(work(), { id, requireMatch })
          : changeCategory(work(), { id, requireMatch }, { slug: `slug-${n}` }),
      ),
    )
    expect(await findTotals(world.table)).toMatchObject({ count: 6 })
  })
})

describe('the largest number of categories', () => {
  it('rejects one more until another one is deleted', async () => {
    const { id } = await create('Last')
    const Item = { ...categoryTotalsKey, revision: 'full', count: MAX_CATEGORIES }
    await world.table.write({ Put: { Item } })
    await expect(create('One more')).rejects.toMatchObject({
      fields: { categories: [`Must be at most ${MAX_CATEGORIES}: delete one first.`] },
    })
    await changeCategory(work(), { id, requireMatch }, { name: 'Still changed' })
    await deleteCategory(work(), { id, requireMatch })
    await create('Replacement')
  })
})
