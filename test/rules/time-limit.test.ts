// Stops functions after a time limit.
import { describe, expect, it } from 'vitest'
import { withTimeLimit } from '../../shared/search/time-limit.ts'

describe('withTimeLimit', () => {
  it('returns the result of the function', () => {
    expect(withTimeLimit(() => ['a', 'b'], 1_000)).toEqual(['a', 'b'])
    expect(withTimeLimit(() => undefined, 1_000)).toBeUndefined()
  })

  it('throws the error of the function', () => {
    expect(() =>
      withTimeLimit(() => {
        throw new RangeError('Too deep.')
      }, 1_000),
    ).toThrow(RangeError)
  })

  it('stops an endless loop and a slow regular expression', () => {
    const forever = () => {
      for (;;);
    }
    expect(() => withTimeLimit(forever, 50)).toThrow('timed out')
    expect(() => withTimeLimit(() => /^(a+)+$/.test(`${'a'.repeat(60)}!`), 50)).toThrow('timed out')
  })
})
