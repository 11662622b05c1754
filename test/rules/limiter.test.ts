// The limiter counts exactly, even concurrent requests, and forgets them to the millisecond.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Limit } from '../../shared/http/audience.ts'
import { consume } from '../../shared/limits/limiter.ts'
import { limitKey } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'

const world = useTable()

const START = Date.parse('2026-01-01T12:00:00.250Z')

/** A new client with a bucket of three requests. */
function bucket(kind: Limit['kind']) {
  const client = randomUUID()
  const request = (afterMs: number) =>
    consume(world.table, { scope: kind, kind, client, max: 3 }, START + afterMs)
  const requests = async (...times: number[]) => {
    const results = []
    for (const afterMs of times) results.push(await request(afterMs))
    return results.map(({ isAllowed, remaining, resetMs }) => [isAllowed, remaining, resetMs - START])
  }
  const kept = () => world.table.find(limitKey(kind, client), z.looseObject({ hits: z.unknown() }))
  return { request, requests, kept }
}

describe('a limit by window', () => {
  it('starts a window at the first request and admits its maximum, however the requests are spread', async () => {
    const { requests } = bucket('window')
    expect(await requests(0, 30_000, 59_999, 59_999)).toEqual([
      [true, 2, 60_000],
      [true, 1, 60_000],
      [true, 0, 60_000],
      [false, 0, 60_000],
    ])
  })

  it('ends a window at the exact millisecond, and starts the next one at the next request', async () => {
    const { requests } = bucket('window')
    expect((await requests(0, 0, 0, 59_999, 60_000, 75_000)).slice(3)).toEqual([
      [false, 0, 60_000],
      [true, 2, 120_000],
      [true, 1, 120_000],
    ])
  })
})

describe('requests of a client that come together', () => {
  it('are counted by two writes, each in its own place', async () => {
    const client = randomUUID()
    const request = () => consume(world.table, { scope: 'window', client, max: 100 }, START)
    await request()
    const { result, used } = await world.measure(() => Promise.all(Array.from({ length: 40 }, request)))
    expect(result.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 40 }, (_, n) => 98 - n))
    expect(used.calls).toBe(2)
  })
})

describe('a limit by log', () => {
  it('admits at most its maximum in any 60 s, and frees each slot when its request is old enough', async () => {
    const { requests } = bucket('log')
    expect(await requests(0, 20_000, 40_000, 59_999, 60_000, 79_999, 80_000)).toEqual([
      [true, 2, 60_000],
      [true, 1, 60_000],
      [true, 0, 60_000],
      [false, 0, 60_000],
      [true, 0, 80_000],
      [false, 0, 80_000],
      [true, 0, 100_000],
    ])
  })
})

describe.each(['window', 'log'] as const)('a limit by %s', kind => {
  it('admits exactly its maximum of concurrent requests, in its first minute and in the next', async () => {
    const { request } = bucket(kind)
    for (const afterMs of [0, 60_000]) {
      const results = await Promise.all(Array.from({ length: 20 }, () => request(afterMs)))
      const allowed = results.filter(({ isAllowed }) => isAllowed).map(({ remaining }) => remaining)
      expect(allowed.sort()).toEqual([0, 1, 2])
      expect(new Set(results.map(({ resetMs }) => resetMs))).toEqual(new Set([START + afterMs + 60_000]))
    }
  })

  it('does not count refused requests, and calls the table for only one of them', async () => {
    const { requests, request, kept } = bucket(kind)
    await requests(0, 0, 0, 1)
    const before = await kept()
    const { used } = await world.measure(async () => {
      for (let n = 0; n < 50; n++) expect((await request(1_000 + n)).isAllowed).toBe(false)
    })
    expect(used.calls).toBe(0)
    expect(await kept()).toEqual(before)
  })

  it('forgets what a clock that was ahead has counted, but not what another clock counted two seconds ahead', async () => {
    for (const [aheadMs, isForgotten] of [
      [3_600_000, true],
      [2_001, true],
      [2_000, false],
    ] as const) {
      for (const before of [2, 3]) {
        const { requests } = bucket(kind)
        await requests(...Array.from({ length: before }, () => aheadMs))
        const allowed = (await requests(0, 0, 0, 0)).filter(([isAllowed]) => isAllowed)
        expect(allowed, `${before} counted ${aheadMs} ms ahead`).toHaveLength(isForgotten ? 3 : 3 - before)
      }
    }
  })

  it('costs one write per request, and its item expires after the window', async () => {
    const { request, kept } = bucket(kind)
    const { used } = await world.measure(() => request(0))
    expect(used.writeUnits).toBeLessThanOrEqual(2)
    const { expires } = z.object({ expires: z.int() }).parse(await kept())
    expect(expires * 1000 - START).toBeGreaterThanOrEqual(60_000)
  })
})
