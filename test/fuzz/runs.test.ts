// Tests how many requests a fuzz run plans, and when too few were sent.
import { describe, expect, it } from 'vitest'
import { plannedRequests, RUNS, shortfallsOf } from './runs.ts'

describe('plannedRequests', () => {
  it.each([10, 500, 2_000, 10_000])('plans at least %i requests if that many are requested', requested => {
    const all = RUNS.reduce((sum, run) => sum + plannedRequests(run, requested), 0)
    expect(all).toBeGreaterThanOrEqual(requested * 1.1)
    if (requested >= 2_000) expect(all).toBeLessThan(requested * 1.3)
  })
})

describe('shortfallsOf', () => {
  const each = (requests: number) => new Map(RUNS.map(({ name }) => [name, requests]))

  it('accepts half of the requested number, but no fewer', () => {
    expect(shortfallsOf(each(250), 2_000)).toEqual([])
    expect(shortfallsOf(each(249), 2_000)).toEqual(['Only 996 of about 2000 requests were sent.'])
  })

  it.each(RUNS.map(({ name }) => name))('reports that the run %s sent no request', name => {
    expect(shortfallsOf(each(1_000).set(name, 0), 1_000)).toEqual([`The run ${name} sent no request.`])
    const sent = each(1_000)
    sent.delete(name)
    expect(shortfallsOf(sent, 1_000)).toEqual([`The run ${name} sent no request.`])
  })
})
