// How many runs go on at the same time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { limitConcurrency } from '../../shared/table/concurrency.ts'

describe('limitConcurrency', () => {
  it('runs as many at once as it may, and the others in their order', async () => {
    const begun: unknown[] = []
    const gates = [1, 2, 3, 4].map(() => Promise.withResolvers<string>())
    const inTurn = limitConcurrency(2)
    const results = gates.map((gate, n) =>
      inTurn(() => {
        begun.push(n)
        return gate.promise
      }),
    )
    await nextTurn()
    expect(begun).toEqual([0, 1])
    gates[1]?.resolve('one')
    await nextTurn()
    expect(begun).toEqual([0, 1, 2])
    for (const gate of gates) gate.resolve('another')
    expect(await Promise.all(results)).toEqual(['another', 'one', 'another', 'another'])
    expect(begun).toEqual([0, 1, 2, 3])
  })

  it('runs the next one after one that fails', async () => {
    const inTurn = limitConcurrency(1)
    const bad = inTurn(() => Promise.reject(new Error('broken')))
    const good = inTurn(async () => 'good')
    await expect(bad).rejects.toThrow('broken')
    expect([await good, await inTurn(async () => 'later')]).toEqual(['good', 'later'])
  })
})
