// The scan of the operator: every item once, and pages that fit to the size of the items.
import { describe, expect, it } from 'vitest'
import { scan } from '../../infra/operator/scan.ts'
import type { Item } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'

const SMALL = 3_000
const LARGE = 40

/** Scans small items with large ones among them; `limits` are the items that each call asked for. */
async function scanAll() {
  const { table, client, tableName, stop } = await newTable()
  const blob = new Uint8Array(100_000)
  const items: Item[] = [
    ...Array.from({ length: SMALL }, (_, n) => ({ pk: `SMALL#${n}`, sk: 'x', n })),
    ...Array.from({ length: LARGE }, (_, n) => ({ pk: 'LARGE#1', sk: String(n), blob })),
  ]
  await table.putMany(items)
  const limits: number[] = []
  client.around((next, operation, input) => {
    if (operation === 'Scan') limits.push(Object(input).Limit)
    return next()
  })
  const read: Item[] = []
  for await (const batch of scan(client, tableName)) read.push(...batch)
  await stop()
  return { read, limits, expected: items.map(({ pk, sk }) => `${pk} ${sk}`).sort() }
}

describe('scan', () => {
  it('yields each item once, and its calls ask for hardly more items than there are', async () => {
    const { read, limits, expected } = await scanAll()
    expect(read.map(({ pk, sk }) => `${pk} ${sk}`).sort()).toEqual(expected)
    // The emulator reads as many items as a call asks for, and all that remain if it names no limit.
    expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThan(2.5 * (SMALL + LARGE))
  })

  it('ends when its caller does', async () => {
    const { table, client, tableName, stop } = await newTable()
    await table.putMany(Array.from({ length: 1_500 }, (_, n) => ({ pk: `SMALL#${n}`, sk: 'x' })))
    for await (const batch of scan(client, tableName)) {
      expect(batch.length).toBeGreaterThan(0)
      break
    }
    await stop()
  })
})
