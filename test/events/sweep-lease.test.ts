// One sweep at a time: a second one leaves the outbox to the first, for as long as that may live.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withSweepLease } from '../../shared/events/sweep-lease.ts'
import { sweepLeaseKey } from '../../shared/table/design.ts'
import { injectFaults } from '../world/faults.ts'
import { newTable } from '../world/new-table.ts'
import type { TableWorld } from '../world/table.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')

let world: TableWorld
let faults: ReturnType<typeof injectFaults>
beforeAll(async () => {
  world = await newTable()
  faults = injectFaults(world.client)
})
afterAll(() => world.stop())
beforeEach(() => world.table.removeMany([sweepLeaseKey]))

describe('two sweeps at once', () => {
  it('do not send the same rows: the second one leaves the outbox to the first', async () => {
    const [begun, first] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
    const running = withSweepLease(world.table, NOW_MS, () => {
      begun.resolve()
      return first.promise
    })
    await begun.promise
    expect(await withSweepLease(world.table, NOW_MS, async () => 'second')).toBeUndefined()
    first.resolve('first')
    expect(await running).toBe('first')
    expect(await withSweepLease(world.table, NOW_MS, async () => 'third')).toBe('third')
  })

  it('follow each other a minute later, when the first one died', async () => {
    const begun = Promise.withResolvers<void>()
    void withSweepLease(world.table, NOW_MS, () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
    await begun.promise
    expect(await withSweepLease(world.table, NOW_MS + 49_000, async () => 'early')).toBeUndefined()
    expect(await withSweepLease(world.table, NOW_MS + 60_000, async () => 'next')).toBe('next')
  })

  it('hold the lease, though the answer to it was lost', async () => {
    const lost = faults.fail({ operation: 'PutItem', at: 'after', error: 'TimeoutError', times: 1 })
    try {
      expect(await withSweepLease(world.table, NOW_MS, async () => 'mine')).toBe('mine')
      expect(lost.isWaiting()).toBe(false)
    } finally {
      faults.repair()
    }
  })
})
