// Reads of the index state that take so long that its markers may be younger than its manifest.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readIndexState } from '../../shared/search/index-state.ts'
import type { Table } from '../../shared/table/client.ts'
import { ReadConflict } from '../../shared/table/retrying.ts'
import { useTable } from '../support/new-table.ts'

const world = useTable()
afterEach(() => {
  vi.restoreAllMocks()
})

/** The table, whose first `slow` queries seem to take three seconds. */
function slowly(slow: number) {
  let queries = 0
  let skippedMs = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs)
  const query: Table['query'] = async (span, schema) => {
    if (++queries <= slow) skippedMs += 3_000
    return await world.table.query(span, schema)
  }
  return { table: { ...world.table, query }, queries: () => queries }
}

describe('the state of the search index', () => {
  it('is read again if the read took long', async () => {
    const { table, queries } = slowly(2)
    expect(await readIndexState(table)).toMatchObject({ markers: [], pending: [] })
    expect(queries()).toBe(3)
  })

  it('is given up after four long reads, so that the client is told to try again', async () => {
    const { table, queries } = slowly(Number.POSITIVE_INFINITY)
    await expect(readIndexState(table)).rejects.toBeInstanceOf(ReadConflict)
    expect(queries()).toBe(4)
  })
})
