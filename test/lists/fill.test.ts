// How full the nodes of a counted list are if entries arrive one by one: in order, before later ones, at
// random.
import { describe, expect, it } from 'vitest'
import { fixedList } from '../../shared/lists/counted-list.ts'
import { randomOf } from '../bench/random.ts'
import { useTable } from '../support/new-table.ts'
import { change, expectExact } from './list-world.ts'

const SIZES = { range: 6, node: 6 }
const COUNT = 108

const world = useTable(SIZES)

/** The fill of ranges and inner nodes, as a share of their largest size. */
async function fillAfter(name: string, orders: number[]) {
  const list = fixedList(name, 'descending')
  for (const order of orders) {
    await change(world.table, [], [{ list, order: String(order).padStart(6, '0'), item: {} }])
  }
  const { innerNodes, ranges } = await expectExact(world.table, list)
  return { ranges: orders.length / (ranges * SIZES.range), innerNodes: ranges / (innerNodes * SIZES.node) }
}

const inOrder = Array.from({ length: COUNT }, (_, n) => n + 1)

describe('the nodes of a counted list', () => {
  it.concurrent('are full except the last when entries arrive in order', async () => {
    const fill = await fillAfter('in-order', inOrder)
    expect(fill.ranges).toBeGreaterThan(0.93)
    expect(fill.innerNodes).toBeGreaterThan(0.85)
  })

  it.concurrent('are full even if some entries sort after all new ones, as scheduled posts do', async () => {
    const fill = await fillAfter('behind', [...Array.from({ length: 12 }, (_, n) => 900_000 + n), ...inOrder])
    expect(fill.ranges).toBeGreaterThan(0.9)
    expect(fill.innerNodes).toBeGreaterThan(0.8)
  })

  it.concurrent('are two thirds full when entries arrive in random order', async () => {
    const random = randomOf(1, 1)
    const fill = await fillAfter(
      'no-order',
      inOrder
        .map(order => [random.next(), order] as const)
        .sort((a, b) => a[0] - b[0])
        .map(([, order]) => order),
    )
    expect(fill.ranges).toBeGreaterThan(0.66)
    expect(fill.innerNodes).toBeGreaterThan(0.6)
  })
})
