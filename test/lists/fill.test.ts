// How full the nodes of a counted list are when its entries came one by one: in order, before others to come, at random.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomOf } from '../bench/random.ts'
import { newTable } from '../world/new-table.ts'
import type { TableWorld } from '../world/table.ts'
import { change, expectExact, fixedList } from './list-world.ts'

const SIZES = { range: 6, node: 6 }
const COUNT = 108

let world: TableWorld
beforeAll(async () => {
  world = await newTable()
})
afterAll(() => world.stop())

/** The share of what ranges and inner nodes may hold that they do hold. */
async function fillAfter(name: string, orders: number[]) {
  const list = fixedList(name, 'descending')
  for (const order of orders) {
    await change(world.table, [], [{ list, order: String(order).padStart(6, '0'), item: {} }], SIZES)
  }
  const { innerNodes, ranges } = await expectExact(world.table, list)
  return { ranges: orders.length / (ranges * SIZES.range), innerNodes: ranges / (innerNodes * SIZES.node) }
}

const inOrder = Array.from({ length: COUNT }, (_, n) => n + 1)

describe('the nodes of a list', () => {
  it.concurrent('are full, but for the last of them, when entries come in order', async () => {
    const fill = await fillAfter('in-order', inOrder)
    expect(fill.ranges).toBeGreaterThan(0.93)
    expect(fill.innerNodes).toBeGreaterThan(0.85)
  })

  it.concurrent('are so with entries that stand behind all that come, as scheduled posts do', async () => {
    const fill = await fillAfter('behind', [...Array.from({ length: 12 }, (_, n) => 900_000 + n), ...inOrder])
    expect(fill.ranges).toBeGreaterThan(0.9)
    expect(fill.innerNodes).toBeGreaterThan(0.8)
  })

  it.concurrent('are two thirds full when they come in no order', async () => {
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
