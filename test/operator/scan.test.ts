// The scan of the operator: every item once, and pages that fit to the size of the items.
import { beforeAll, describe, expect, it } from 'vitest'
import { scan } from '../../infra/operator/scan.ts'
import type { Item } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'

const SMALL = 3_000
const LARGE = 40

const blob = new Uint8Array(100_000)
const items: Item[] = [
  ...Array.from({ length: SMALL }, (_, n) => ({ pk: `SMALL#${n}`, sk: 'x', n })),
  ...Array.from({ length: LARGE }, (_, n) => ({ pk: 'LARGE#1', sk: String(n), blob })),
]

const world = useTable()
beforeAll(() => world.table.putMany(items))

describe('scan', () => {
  it('yields each item once, and its calls ask for hardly more items than there are', async () => {
    const limits: number[] = []
    world.client.around((next, operation, input) => {
      if (operation === 'Scan') limits.push(Object(input).Limit)
      return next()
    })
    const read: Item[] = []
    for await (const batch of scan(world.client, world.tableName)) read.push(...batch)
    const keysOf = (all: Item[]) => all.map(({ pk, sk }) => `${pk} ${sk}`).sort()
    expect(keysOf(read)).toEqual(keysOf(items))
    // The emulator reads as many items as a call asks for, and all that remain if it names no limit.
    expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThan(2.5 * (SMALL + LARGE))
  })

  it('ends when its caller does', async () => {
    for await (const batch of scan(world.client, world.tableName)) {
      expect(batch.length).toBeGreaterThan(0)
      break
    }
  })
})
