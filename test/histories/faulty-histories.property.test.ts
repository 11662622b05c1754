// Random histories under faults, compared with plain arrays: no acknowledged write is lost or partial.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { categoryList, listsOfPosts } from '../../shared/posts/lists.ts'
import { expectExact } from '../lists/list-world.ts'
import { skipPauses } from '../support/skipped-pauses.ts'
import { use } from '../support/use.ts'
import { eventLine, expectEqual } from './checks.ts'
import { expectDelivered, openReceiver } from './faulty/checks.ts'
import { type FaultyWorld, openFaultyWorld } from './faulty/world.ts'
import { type Model, openModel } from './model.ts'
import { expectHits } from './search.ts'
import { fewPosts, START_MS, type Step, step } from './steps.ts'
import { takeStep } from './take-step.ts'

/** Waiting only advances the clock, so that the lock of a crashed run expires immediately. */
skipPauses()

/** So small that a dozen posts split and merge ranges and nodes. */
const SMALL = { range: 4, node: 4 }
const TIME_MS = 2_000
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
/** 0: as many as fit into the time. */
const wantedHistories = Number(process.env.HISTORIES ?? (process.env.SOAK ? 2_000 : 0))

const history = fc.record({
  faults: fc.nat(),
  fewPosts,
  steps: fc.array(step, { minLength: 6, maxLength: 14 }),
})
type History = typeof history extends fc.Arbitrary<infer T> ? T : never

const receiver = use(openReceiver)

let histories = 0
let steps = 0
const faultCounts = new Map<string, number>()

describe('the service under faults', () => {
  it('answers and fires events as a model of plain arrays does after any history, once the queues are empty', async () => {
    console.info(
      `seed ${seed} (run again with SEED=${seed}; only a failed history: also with HISTORY=<its path>)`,
    )
    const untilMs = wantedHistories > 0 ? Number.POSITIVE_INFINITY : Date.now() + TIME_MS
    const property = fc.asyncProperty(history, async history => {
      if (Date.now() < untilMs) await checkHistory(history)
    })
    // Without shrinking: a smaller history would meet other faults.
    const one = process.env.HISTORY
    const runs = one === undefined ? { numRuns: wantedHistories || 100 } : { path: one, numRuns: 1 }
    await fc.assert(property, { seed, endOnFailure: true, ...runs })
    const faults = [...faultCounts].map(([kind, count]) => `${count} ${kind}`).join(', ')
    console.info(`${histories} histories of ${steps} steps; faults: ${faults}`)
    expect(histories).toBeGreaterThan(0)
  }, 7_200_000)
})

async function checkHistory({ faults, fewPosts, steps: rest }: History): Promise<void> {
  const options = { startMs: START_MS, sizes: SMALL, seed: faults, hookUrl: receiver.url }
  const world = await openFaultyWorld(options)
  const model = openModel(START_MS)
  receiver.received.length = 0
  const take = async (step: Step) => {
    if ('catchUp' in step) await world.drain(model)
    await takeStep(world, model, step)
    steps++
  }
  try {
    await take({ newCategory: 'First', slug: null })
    for (const step of [fewPosts, ...rest]) await take(step)
    await take({ advanceMs: 4_000_000 })
    await take({ catchUp: true })
    const events = world.takeEvents()
    expect(events.map(eventLine).sort()).toEqual(model.takeEvents().sort())
    await expectDelivered(world, events, receiver.received)
    await checkLists(world, model)
    await expectEqual(world, model, 5)
    await expectHits(world, model, histories)
    histories++
    if (wantedHistories > 0 && histories % 50 === 0) console.info(`${histories} histories`)
  } finally {
    for (const [kind, count] of world.faultCounts) faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + count)
    await world.stop()
  }
}

async function checkLists({ table }: FaultyWorld, model: Model): Promise<void> {
  const fixed = listsOfPosts().filter(list => typeof list !== 'function')
  const lists = [...fixed, ...model.categories().map(({ id }) => categoryList(id))]
  await Promise.all(lists.map(list => expectExact(table, list)))
}
