// How many events a function of the local run handles at the same time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { atMost } from '../../infra/local/functions.ts'

describe('a function', () => {
  it('runs as many events at once as it may, and the others in their order', async () => {
    const begun: unknown[] = []
    const gates = [1, 2, 3, 4].map(() => Promise.withResolvers<string>())
    const call = atMost(2, event => {
      begun.push(event)
      return gates[Number(event)]?.promise ?? Promise.reject(new Error('no such event'))
    })
    const results = [0, 1, 2, 3].map(event => call(event))
    await nextTurn()
    expect(begun).toEqual([0, 1])
    gates[1]?.resolve('one')
    await nextTurn()
    expect(begun).toEqual([0, 1, 2])
    for (const gate of gates) gate.resolve('another')
    expect(await Promise.all(results)).toEqual(['another', 'one', 'another', 'another'])
    expect(begun).toEqual([0, 1, 2, 3])
  })

  it('runs the next event after one that fails', async () => {
    const call = atMost(1, async event => {
      if (event === 'bad') throw new Error('broken')
      return event
    })
    const [bad, good] = await Promise.allSettled([call('bad'), call('good')])
    expect([bad.status, good]).toEqual(['rejected', { status: 'fulfilled', value: 'good' }])
    expect(await call('later')).toBe('later')
  })
})
