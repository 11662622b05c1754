// Judges the health of each part of the service by its measurements.
import { describe, expect, it } from 'vitest'
import { checksOf, isWell, type Measurements } from '../../shared/site/health.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
const WELL: Measurements = {
  nowMs: NOW_MS,
  tableMs: 4,
  sweep: { lastRunMs: NOW_MS - 59_000 },
  outbox: { oldestMs: NOW_MS - 80_000, waiting: 2 },
}

describe('checksOf', () => {
  it('reports all parts as ok while they answer and messages move', () => {
    const checks = checksOf(WELL)
    expect(isWell(checks)).toBe(true)
    expect(checks).toEqual({
      table: { ok: true, latency_ms: 4 },
      sweep: { ok: true, last_at: '2026-01-01T11:59:01+00:00' },
      outbox: { ok: true, oldest_seconds: 80, waiting: 2 },
    })
  })

  it.each<[string, Partial<Measurements>, string, string]>([
    ['the table does not answer', { tableMs: undefined }, 'table', 'Does not answer.'],
    ['the sweep has never ended well', { sweep: { lastRunMs: undefined } }, 'sweep', 'Has never ended well.'],
    [
      'the sweep is late',
      { sweep: { lastRunMs: NOW_MS - 181_000 } },
      'sweep',
      'Has not ended well for more than three minutes. See its log.',
    ],
    [
      'a message waits in the outbox',
      { outbox: { oldestMs: NOW_MS - 151_000, waiting: 1 } },
      'outbox',
      'A message has been waiting for 151 s: its queue rejects it, or the sweep does not run.',
    ],
  ])('names the part and the reason when %s', (_, measured, part, problem) => {
    const checks = checksOf({ ...WELL, ...measured })
    expect(isWell(checks)).toBe(false)
    expect(Object.entries(checks).find(([, { ok }]) => !ok)).toMatchObject([part, { problem }])
  })

  it('reports an empty outbox as ok', () => {
    const { outbox } = checksOf({ ...WELL, outbox: { oldestMs: undefined, waiting: 0 } })
    expect(outbox).toEqual({ ok: true, oldest_seconds: null, waiting: 0 })
  })
})
