// Random histories through the real functions against plain arrays: every page, total, count and event equal.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adminList, categoryList, PAGES, POSTS } from '../../shared/posts/lists.ts'
import { expectExact } from '../lists/list-world.ts'
import { checkRandom, LONGEST_MS } from '../world/property.ts'
import { act } from './acts.ts'
import { expectSame, lineOf } from './checks.ts'
import { openModel } from './model.ts'
import { expectFound, expectNoIndex } from './search.ts'
import { beginning, START_MS, type Step, step } from './steps.ts'
import { openHistoryWorld } from './world.ts'

/** So small that a few dozen posts split and merge ranges and nodes all the time. */
const SMALL = { range: 4, node: 4 }
const TIME_MS = 4_000
const LOOK_EVERY = 5

const history = fc.record({
  beginning,
  steps: fc.array(step, { minLength: 25, maxLength: 60 }),
  perPage: fc.array(fc.constantFrom(3, 5, 12, 100), { minLength: 1, maxLength: 4 }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

let mostNodes = 0
let histories = 0
let steps = 0

describe('what readers and admins see, and subscribers hear', () => {
  it(
    'is after any history what plain arrays say',
    async () => {
      await checkRandom(history, live, TIME_MS)
      console.info(`${histories} histories of ${steps} steps, lists of up to ${mostNodes} nodes`)
      // A machine that is busy with other things lives through one history, which may be a short one.
      if (histories > 3) expect(mostNodes).toBeGreaterThan(1)
    },
    LONGEST_MS,
  )
})

async function live({ beginning, steps: rest, perPage }: History): Promise<void> {
  const world = await openHistoryWorld(START_MS, SMALL)
  const model = openModel(START_MS)
  const categoryIds = new Set<number>()
  const take = async (step: Step) => {
    await act(world, model, step)
    expect(world.takeEvents().map(lineOf).sort()).toEqual(model.takeEvents().sort())
    for (const { id } of model.categories()) categoryIds.add(id)
    steps++
  }
  const recount = async (categories: Iterable<number>) => {
    const kinds = [undefined, 'post', 'page'] as const
    const admin = [false, true].flatMap(drafts => kinds.map(kind => adminList(drafts, kind)))
    const lists = [POSTS, PAGES, ...admin, ...[...categories].map(categoryList)]
    const counted = await Promise.all(lists.map(list => expectExact(world.table, list)))
    mostNodes = Math.max(mostNodes, ...counted.map(({ innerNodes }) => innerNodes))
  }
  try {
    await take({ newCategory: 'First', slug: null })
    for (const [n, step] of [beginning, ...rest].entries()) {
      await take(step)
      if (n % LOOK_EVERY > 0) continue
      await recount(model.categories().map(({ id }) => id))
      await expectSame(world, model, perPage[n % perPage.length] ?? 12)
      await expectFound(world, model, n / LOOK_EVERY)
    }
    await take({ moveOnMs: 100_000_000 })
    await take({ catchUp: true })
    await recount(categoryIds)
    await expectSame(world, model, 3)
    for (const turn of [0, 1, 2]) await expectFound(world, model, turn)
    while (model.posts().length > 0) await take({ remove: [0, 3, 5] })
    while (model.categories().length > 0) await take({ removeCategory: 0 })
    await take({ catchUp: true })
    await recount(categoryIds)
    await expectSame(world, model, 12)
    await expectFound(world, model, 0)
    await expectNoIndex(world)
    histories++
  } finally {
    await world.stop()
  }
}
