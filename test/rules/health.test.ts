// Judges the health of each part of the service by its measurements.
import { describe, expect, it } from 'vitest'
import { checksOf, isWell, type Measurements } from '../../shared/site/health.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
const WAITING = { events: 1, deliveries: 2, tidy: 0, mail: 0, index: 3, bounces: 0 }
const WELL: Measurements = {
  nowMs: NOW_MS,
  tableMs: 4,
  waiting: WAITING,
  sweep: { beat: { endedMs: NOW_MS - 59_000, failedParts: 0 } },
  outbox: { oldestMs: NOW_MS - 80_000, waiting: 2 },
}

describe('checksOf', () => {
  it('reports all parts as ok while they answer and messages move', () => {
    const checks = checksOf(WELL)
    expect(isWell(checks)).toBe(true)
    expect(checks).toEqual({
      table: { ok: true, latency_ms: 4 },
      queues: { ok: true, waiting: WAITING },
      sweep: { ok: true, last_at: '2026-01-01T11:59:01+00:00' },
      outbox: { ok: true, oldest_seconds: 80, waiting: 2 },
      index: { ok: true, waiting: 3 },
    })
  })

  it.each<[string, Partial<Measurements>, string, string]>([
    ['the table does not answer', { tableMs: undefined }, 'table', 'Does not answer.'],
    ['the queues do not answer', { waiting: undefined }, 'queues', 'Does not answer.'],
    ['the sweep has never run', { sweep: { beat: undefined } }, 'sweep', 'Has never run.'],
    [
      'the sweep is late',
      { sweep: { beat: { endedMs: NOW_MS - 181_000, failedParts: 0 } } },
      'sweep',
      'Has not run for more than three minutes.',
    ],
    [
      'a part of the sweep failed',
      { sweep: { beat: { endedMs: NOW_MS, failedParts: 1 } } },
      'sweep',
      'The last sweep failed in part (1). See its log.',
    ],
    [
      'a message waits in the outbox',
      { outbox: { oldestMs: NOW_MS - 151_000, waiting: 1 } },
      'outbox',
      'A message has been waiting for 151 s: its queue rejects it, or the sweep does not run.',
    ],
    [
      'the index falls behind',
      { waiting: { ...WAITING, index: 1_001 } },
      'index',
      '1001 changes are waiting to be merged into the search index.',
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
