// Only one sweep runs at a time: a second one does nothing while the first may be alive.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withSweepLease } from '../../shared/events/sweep-lease.ts'
import { sweepLeaseKey } from '../../shared/table/design.ts'
import { injectFaults } from '../world/faults.ts'
import { useTable } from '../world/new-table.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')

const world = useTable()
let faults: ReturnType<typeof injectFaults>
beforeAll(async () => {
  faults = injectFaults(world.client)
})
beforeEach(() => world.table.removeMany([sweepLeaseKey]))

describe('withSweepLease', () => {
  it('does not run a second sweep while the first is running', async () => {
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

  it('runs a sweep after one has died whose clock was an hour ahead', async () => {
    const begun = Promise.withResolvers<void>()
    void withSweepLease(world.table, NOW_MS + 3_600_000, () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
    await begun.promise
    expect(await withSweepLease(world.table, NOW_MS, async () => 'next')).toBe('next')
  })

  it('runs the sweep of the next minute after a sweep has died', async () => {
    const begun = Promise.withResolvers<void>()
    void withSweepLease(world.table, NOW_MS, () => {
      begun.resolve()
      return new Promise<never>(() => {})
    })
    await begun.promise
    expect(await withSweepLease(world.table, NOW_MS + 49_000, async () => 'early')).toBeUndefined()
    expect(await withSweepLease(world.table, NOW_MS + 60_000, async () => 'next')).toBe('next')
  })

  it('runs a sweep whose lease was written although the answer was lost', async () => {
    const lost = faults.fail({ operation: 'PutItem', at: 'after', error: 'TimeoutError', times: 1 })
    try {
      expect(await withSweepLease(world.table, NOW_MS, async () => 'mine')).toBe('mine')
      expect(lost.isWaiting()).toBe(false)
    } finally {
      faults.repair()
    }
  })
})
