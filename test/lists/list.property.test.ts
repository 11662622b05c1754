// Compares counted lists with plain arrays: random histories, every page and total, every count.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { compareOrder } from '../../shared/lists/children.ts'
import {
  fixedList,
  type List,
  type ListEntry,
  listAfter,
  listPage,
  visibleCount,
} from '../../shared/lists/counted-list.ts'
import { useTable } from '../support/new-table.ts'
import { checkRandom } from '../support/property.ts'
import { change, expectExact, type ShapesByVersion } from './list-world.ts'

const SMALL = { range: 4, node: 4 }
/** A change with the writes of its nodes stays below the 100 actions of a transaction. */
const BULK = 30
const TIME_MS = 1_500

/** Letters that UTF-8 and UTF-16 order differently, so that many keys share a prefix. */
const order = fc
  .array(fc.constantFrom('a', 'b', 'b0', 'é', '\u{ffee}', '😀', '𐀀'), { minLength: 1, maxLength: 4 })
  .map(letters => letters.join(''))
const nth = fc.nat(1_000)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.array(order, { minLength: 1, maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ add: fc.array(order, { minLength: 10, maxLength: BULK }) }) },
  { weight: 3, arbitrary: fc.record({ remove: fc.array(nth, { minLength: 1, maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.array(nth, { minLength: 10, maxLength: BULK }) }) },
  { weight: 3, arbitrary: fc.record({ move: fc.tuple(nth, order) }) },
  { weight: 1, arbitrary: fc.record({ replace: nth }) },
)
const look = fc.record({
  perPage: fc.integer({ min: 1, max: 12 }),
  hideEvery: fc.integer({ min: 1, max: 6 }),
})
const history = fc.record({
  direction: fc.constantFrom<List['order']>('ascending', 'descending'),
  steps: fc.array(fc.record({ step, look }), { minLength: 5, maxLength: 25 }),
})

type History = typeof history extends fc.Arbitrary<infer T> ? T : never
type Look = typeof look extends fc.Arbitrary<infer T> ? T : never
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Model = Map<string, number>
const itemSchema = z.object({ order: z.string(), value: z.number() })

const world = useTable(SMALL)
let lists = 0

describe('a counted list', () => {
  it('equals a plain array after any history', async () => {
    const check = async ({ direction, steps }: History) => {
      const list = fixedList(`property-${lists++}`, direction)
      let model: Model = new Map()
      const shapes: ShapesByVersion = new Map()
      for (const { step, look } of steps) {
        const next = after(model, step)
        await change(world.table, entriesOf(list, model), entriesOf(list, next))
        model = next
        await expectExact(world.table, list, shapes)
        await expectPages(list, model, look)
        await expectWalks(list, model, look)
      }
      const rest = entriesOf(list, model)
      while (rest.length > 0) await change(world.table, rest.splice(0, BULK), [])
      const left = await expectExact(world.table, list, shapes)
      expect(left.ranges).toBeLessThanOrEqual(1 + left.innerNodes)
      await expectHidden(list, new Map(), 12, [])
    }
    await checkRandom(history, check, TIME_MS)
  })

  it('is empty if it never had an entry', () =>
    expectHidden(fixedList('untouched', 'descending'), new Map(), 12, []))

  it('has a root from whose count hidden entries are subtracted', () => {
    expect([0, 4, 43].map(hidden => visibleCount({ counts: [30, 12] }, hidden))).toEqual([42, 38, 0])
  })
})

function after(model: Model, step: Step): Model {
  const next = new Map(model)
  const keyAt = (n: number) => [...model.keys()][n % Math.max(1, model.size)]
  if ('add' in step) for (const order of step.add) next.set(order, model.get(order) ?? 0)
  if ('remove' in step) for (const n of step.remove) next.delete(keyAt(n) ?? '')
  if ('replace' in step) for (const order of [keyAt(step.replace)]) if (order) next.set(order, Math.random())
  if ('move' in step && next.delete(keyAt(step.move[0]) ?? '')) next.set(step.move[1], 0)
  return next
}

function entriesOf(list: List, model: Model): ListEntry[] {
  return [...model].map(([order, value]) => ({ list, order, item: { order, value } }))
}

/**
 * Reads every page and one past the end: with nothing hidden, with random entries hidden, with all above a
 * bound hidden.
 */
async function expectPages(list: List, model: Model, { perPage, hideEvery }: Look) {
  const keys = [...model.keys()].sort(compareOrder)
  const some = keys.filter((_, n) => n % hideEvery === 0)
  const visible = keys.slice(0, Math.floor(keys.length / hideEvery))
  await expectHidden(list, model, perPage, [])
  await expectHidden(list, model, perPage, some)
  const [later, below] = [keys.slice(visible.length), visible.at(-1) ?? '']
  await expectHidden(list, model, perPage, later, { below })
  await expectHidden(list, model, perPage, later, { below, isCounted: true })
}

type Bound = { below?: string; isCounted?: boolean }

/** Those in reading order that are not hidden. */
function shownOf(list: List, model: Model, hidden: string[]) {
  const shown = [...model]
    .map(([order, value]) => ({ order, value }))
    .filter(({ order }) => !hidden.includes(order))
  shown.sort((a, b) => compareOrder(a.order, b.order))
  return list.order === 'descending' ? shown.reverse() : shown
}

/** Walks from the beginning to the end, with and without entries that are hidden or above a bound. */
async function expectWalks(list: List, model: Model, { perPage, hideEvery }: Look) {
  const keys = [...model.keys()].sort(compareOrder)
  const below = keys[Math.floor(keys.length / hideEvery) - 1] ?? ''
  const later = keys.filter(key => compareOrder(key, below) > 0)
  const some = keys.filter((_, n) => n % hideEvery === 0)
  await expectWalk(list, shownOf(list, model, []), { count: perPage })
  await expectWalk(list, shownOf(list, model, some), { count: perPage }, some)
  await expectWalk(list, shownOf(list, model, later), { count: perPage, below })
}

type Item = z.infer<typeof itemSchema>
type Walk = { count: number; below?: string }

async function expectWalk(list: List, shown: Item[], walk: Walk, hidden: string[] = []) {
  const met: Item[] = []
  let after: string | undefined
  for (let hasMore = true; hasMore; ) {
    const query = { list, after, ...walk }
    const part = await listAfter(world.table, query, itemSchema, ({ order }) => !hidden.includes(order))
    met.push(...part.items)
    expect(part.items.length).toBeLessThanOrEqual(walk.count)
    expect(part.hasMore).toBe(met.length < shown.length)
    expect(part.last).toBe(part.items.at(-1)?.order)
    after = part.last
    hasMore = part.hasMore
  }
  expect(met).toEqual(shown)
}

async function expectHidden(list: List, model: Model, perPage: number, hidden: string[], bound: Bound = {}) {
  const { below, isCounted = false } = bound
  const shown = shownOf(list, model, hidden)
  const pages = Math.ceil(shown.length / perPage) + 1
  const read = Array.from({ length: pages }, async (_, n) => {
    const keys = Promise.resolve(hidden)
    const numbered = { list, page: n + 1, perPage }
    const query =
      below === undefined
        ? { ...numbered, hidden: keys }
        : { ...numbered, below, above: Promise.resolve(isCounted ? undefined : hidden.length) }
    const { items, total } = await listPage(world.table, query, itemSchema)
    expect(items).toEqual(shown.slice(n * perPage, (n + 1) * perPage))
    expect(total).toBe(shown.length)
  })
  await Promise.all(read)
}
