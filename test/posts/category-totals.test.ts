// The totals of all categories: caches that depend on them, their repair, and the limits.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerBytes,
  MAX_CATEGORIES,
  MAX_CATEGORY_BYTES,
  totalsOf,
} from '../../shared/categories/category.ts'
import { changeCategory, createCategory, deleteCategory } from '../../shared/categories/commands.ts'
import { findTotals, listCachedCategories, listCategories } from '../../shared/categories/store.ts'
import { openTable } from '../../shared/table/client.ts'
import { categoryTotalsKey } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'
import type { TableWorld } from '../support/table.ts'
import { unitOfWorkOn } from '../support/work.ts'

let world: TableWorld
beforeEach(async () => {
  world = await newTable()
})
afterEach(() => world.stop())

function work() {
  return unitOfWorkOn(world.table)
}

async function create(name: string, description = '') {
  return (await createCategory(work(), { name, description })).data
}

function requireMatch() {
  return undefined
}

/** A function with its own cache. */
function openFunction() {
  const table = openTable(world.client, world.tableName)
  return { table, names: async () => (await listCachedCategories(table)).map(({ name }) => name) }
}

async function setTotals(members: Record<string, unknown>) {
  const totals = await findTotals(world.table)
  await world.table.write({ Put: { Item: { ...categoryTotalsKey, ...totals, ...members } } })
}

describe('functions that cache the categories', () => {
  it('show each change as soon as its request is answered', async () => {
    const functions = [openFunction(), openFunction()]
    const expectNames = async (names: string[]) => {
      for (const reader of functions) expect(await reader.names()).toEqual(names)
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

  it('read one unit while nothing changes, regardless of the number of categories', async () => {
    for (let n = 0; n < 30; n++) await create(`Category ${n}`, 'x'.repeat(1_000))
    const { table } = openFunction()
    const first = await world.measure(() => listCachedCategories(table))
    expect(first.used.readUnits).toBeGreaterThan(5)
    const second = await world.measure(() => listCachedCategories(table))
    expect(second.used).toMatchObject({ calls: 1, readUnits: 1 })
    expect(second.result).toEqual(first.result)
  })
})

describe('the totals of all categories', () => {
  const expectCorrect = async () =>
    expect(await findTotals(world.table)).toMatchObject(totalsOf(await listCategories(world.table)))

  it('are correct after concurrent changes, even the first ones', async () => {
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, n) => create(`New ${n}`, 'é"\n'.repeat(n))),
    )
    await expectCorrect()
    await Promise.all(
      created.map(({ id }, n) =>
        n % 2 === 0
          ? deleteCategory(work(), { id, requireMatch })
          : changeCategory(work(), { id, requireMatch }, { description: 'y'.repeat(n), slug: `slug-${n}` }),
      ),
    )
    await expectCorrect()
    expect(await findTotals(world.table)).toMatchObject({ count: 6 })
  })
})

describe('the limits on all categories', () => {
  it('reject a category above the largest number until another one is deleted', async () => {
    const { id } = await create('Last')
    await setTotals({ count: MAX_CATEGORIES })
    await expect(create('One more')).rejects.toMatchObject({
      fields: { categories: [`Must be at most ${MAX_CATEGORIES}: delete one first.`] },
    })
    await changeCategory(work(), { id, requireMatch }, { name: 'Still changed' })
    await deleteCategory(work(), { id, requireMatch })
    await create('Replacement')
  })

  it('reject a new category and a longer description that would make the answer with all too large', async () => {
    const { id } = await create('Long', 'x'.repeat(500))
    await setTotals({ answer_bytes: MAX_CATEGORY_BYTES })
    await expect(create('One more')).rejects.toMatchObject({ fields: { categories: [expect.any(String)] } })
    const change = (description: string) => changeCategory(work(), { id, requireMatch }, { description })
    await expect(change('x'.repeat(501))).rejects.toMatchObject({
      fields: { categories: [expect.any(String)] },
    })
    await change('x'.repeat(499))
  })

  it('keep the answer with all categories within the largest size of an answer', () => {
    const largest = {
      id: 99_999,
      name: '"\n'.repeat(50),
      slug: '字'.repeat(200),
      description: '\\"'.repeat(500),
    }
    const count = Math.floor(MAX_CATEGORY_BYTES / answerBytes(largest))
    const data = Array(count).fill({ ...largest, posts_count: 100_000 })
    const body = JSON.stringify({ success: true, message: 'Categories.', data })
    expect(Buffer.byteLength(JSON.stringify({ statusCode: 200, headers: {}, body }))).toBeLessThan(5_800_000)
  })
})
