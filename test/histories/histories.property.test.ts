// Random histories of the real functions, compared with plain arrays: every page, total, count and event.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { categoryList, listsOfPosts } from '../../shared/posts/lists.ts'
import { expectExact } from '../lists/list-world.ts'
import { checkRandom } from '../support/property.ts'
import { eventLine, expectEqual } from './checks.ts'
import { openModel } from './model.ts'
import { expectHits, expectNoIndex } from './search.ts'
import { manyPosts, START_MS, type Step, step } from './steps.ts'
import { takeStep } from './take-step.ts'
import { openHistoryWorld } from './world.ts'

/** So small that a few dozen posts split and merge ranges and nodes often. */
const SMALL = { range: 4, node: 4 }
const TIME_MS = 2_000
const CHECK_EVERY = 5

const history = fc.record({
  manyPosts,
  steps: fc.array(step, { minLength: 25, maxLength: 60 }),
  perPage: fc.array(fc.constantFrom(3, 5, 12, 100), { minLength: 1, maxLength: 4 }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

let mostNodes = 0
let histories = 0
let steps = 0

describe('the service', () => {
  it('answers and fires events as a model of plain arrays does after any history', async () => {
    await checkRandom(history, checkHistory, TIME_MS)
    console.info(`${histories} histories of ${steps} steps, lists of up to ${mostNodes} nodes`)
    // A busy machine checks only one history, which may be short.
    if (histories > 3) expect(mostNodes).toBeGreaterThan(1)
  })
})

async function checkHistory({ manyPosts, steps: rest, perPage }: History): Promise<void> {
  const world = await openHistoryWorld(START_MS, SMALL)
  const model = openModel(START_MS)
  const categoryIds = new Set<number>()
  const take = async (step: Step) => {
    await takeStep(world, model, step)
    expect(world.takeEvents().map(eventLine).sort()).toEqual(model.takeEvents().sort())
    for (const { id } of model.categories()) categoryIds.add(id)
    steps++
  }
  const checkLists = async (categories: Iterable<number>) => {
    const fixed = listsOfPosts().filter(list => typeof list !== 'function')
    const lists = [...fixed, ...[...categories].map(categoryList)]
    const counted = await Promise.all(lists.map(list => expectExact(world.table, list)))
    mostNodes = Math.max(mostNodes, ...counted.map(({ innerNodes }) => innerNodes))
  }
  try {
    await take({ newCategory: 'First', slug: null })
    for (const [n, step] of [manyPosts, ...rest].entries()) {
      await take(step)
      if (n % CHECK_EVERY > 0) continue
      await checkLists(model.categories().map(({ id }) => id))
      await expectEqual(world, model, perPage[n % perPage.length] ?? 12)
      await expectHits(world, model, n / CHECK_EVERY)
    }
    await take({ advanceMs: 100_000_000 })
    await take({ catchUp: true })
    await checkLists(categoryIds)
    await expectEqual(world, model, 3)
    for (const turn of [0, 1, 2]) await expectHits(world, model, turn)
    while (model.posts().length > 0) await take({ remove: [0, 3, 5] })
    while (model.categories().length > 0) await take({ removeCategory: 0 })
    await take({ catchUp: true })
    await checkLists(categoryIds)
    await expectEqual(world, model, 12)
    await expectHits(world, model, 0)
    await expectNoIndex(world)
    histories++
  } finally {
    await world.stop()
  }
}
