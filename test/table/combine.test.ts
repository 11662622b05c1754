// Combines the inputs that arrive while a call runs into one next call.
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { combine } from '../../shared/table/combine.ts'

/** A combined function whose calls end when the test says so. */
function open(most?: number) {
  const calls: { inputs: number[]; end: () => void; fail: (error: Error) => void }[] = []
  const double = combine(
    (inputs: number[]) =>
      new Promise<number[]>((resolve, reject) => {
        calls.push({ inputs, end: () => resolve(inputs.map(n => n * 2)), fail: reject })
      }),
    most,
  )
  const inputs = () => calls.map(call => call.inputs)
  const settle = () => new Promise(resolve => setImmediate(resolve))
  return { double, calls, inputs, settle }
}

describe('combine', () => {
  it('passes inputs of the same turn together, and later ones to the next call', async () => {
    const { double, calls, inputs, settle } = open()
    const first = [double(1), double(2)]
    await settle()
    const second = [double(3), double(4)]
    await settle()
    expect(inputs()).toEqual([[1, 2]])
    calls[0]?.end()
    expect(await Promise.all(first)).toEqual([2, 4])
    await settle()
    calls[1]?.end()
    expect(await Promise.all(second)).toEqual([6, 8])
    expect(inputs()).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('passes at most so many inputs to a call', async () => {
    const { double, calls, inputs, settle } = open(2)
    const all = Promise.all([1, 2, 3].map(double))
    for (let n = 0; n < 2; n++) {
      await settle()
      calls[n]?.end()
    }
    expect(await all).toEqual([2, 4, 6])
    expect(inputs()).toEqual([[1, 2], [3]])
  })

  it('rejects the inputs of a call that fails, and no others', async () => {
    const { double, calls, settle } = open()
    const failing = expect(double(1)).rejects.toThrow('No.')
    await settle()
    const next = double(2)
    calls[0]?.fail(new Error('No.'))
    await failing
    await settle()
    calls[1]?.end()
    expect(await next).toBe(4)
  })

  it('runs each call in the context of its newest input', async () => {
    const context = new AsyncLocalStorage<string>()
    const name = combine(async (inputs: string[]) => inputs.map(input => `${input} in ${context.getStore()}`))
    const both = [context.run('a', () => name('first')), context.run('b', () => name('second'))]
    expect(await Promise.all(both)).toEqual(['first in b', 'second in b'])
    expect(await context.run('c', () => name('third'))).toBe('third in c')
  })
})
