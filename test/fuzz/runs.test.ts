// How many requests a fuzzing sends, and when they are too few to prove anything.
import { describe, expect, it } from 'vitest'
import { plannedRequests, RUNS, shortfallsOf } from './runs.ts'

describe('the runs of a fuzzing', () => {
  it.each([10, 500, 2_000, 10_000])('plan at least the %i requests that are asked for', asked => {
    const all = RUNS.reduce((sum, run) => sum + plannedRequests(run, asked), 0)
    expect(all).toBeGreaterThanOrEqual(asked * 1.1)
    if (asked >= 2_000) expect(all).toBeLessThan(asked * 1.3)
  })
})

describe('what a fuzzing has sent', () => {
  const each = (requests: number) => new Map(RUNS.map(({ name }) => [name, requests]))

  it('is enough from half of what was asked for', () => {
    expect(shortfallsOf(each(250), 2_000)).toEqual([])
    expect(shortfallsOf(each(249), 2_000)).toEqual(['Only 996 of about 2000 requests were sent.'])
  })

  it.each(RUNS.map(({ name }) => name))('is too little where the run %s sent none', name => {
    expect(shortfallsOf(each(1_000).set(name, 0), 1_000)).toEqual([`The run ${name} sent no request.`])
    const sent = each(1_000)
    sent.delete(name)
    expect(shortfallsOf(sent, 1_000)).toEqual([`The run ${name} sent no request.`])
  })
})
