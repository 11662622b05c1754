// How many runs go on at the same time, and which of them are one.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { limitConcurrency, openGroups } from '../../shared/table/concurrency.ts'

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

describe('openGroups', () => {
  it('runs calls of one name that come while one runs as one after it, also if that one fails', async () => {
    const inGroups = openGroups<string>()
    const gate = Promise.withResolvers<string>()
    const sizes: unknown[] = []
    const run = async (size: number) => {
      sizes.push(size)
      return `${size} together`
    }
    const first = inGroups('a', () => gate.promise)
    const waiting = [inGroups('a', run), inGroups('a', run), inGroups('a', run)]
    expect(await inGroups('b', run)).toEqual({ value: '1 together', place: 0 })
    expect(sizes).toEqual([1])
    gate.reject(new Error('broken'))
    await expect(first).rejects.toThrow('broken')
    expect(await Promise.all(waiting)).toEqual([0, 1, 2].map(place => ({ value: '3 together', place })))
    expect(await inGroups('a', run)).toEqual({ value: '1 together', place: 0 })
    expect(sizes).toEqual([1, 3, 1])
  })

  it('does not wait longer than a quarter of a second for a call that hangs', async () => {
    const inGroups = openGroups<string>()
    void inGroups('a', () => new Promise(() => {}))
    expect(await inGroups('a', async size => `${size} alone`)).toEqual({ value: '1 alone', place: 0 })
  })
})
