// Work of which nobody knows how long it takes ends in time.
import { describe, expect, it } from 'vitest'
import { withTimeLimit } from '../../shared/search/doc-in-time.ts'

describe('work with a time', () => {
  it('gives back what it came to', () => {
    expect(withTimeLimit(() => ['a', 'b'], 1_000)).toEqual(['a', 'b'])
    expect(withTimeLimit(() => undefined, 1_000)).toBeUndefined()
  })

  it('throws what it throws', () => {
    expect(() =>
      withTimeLimit(() => {
        throw new RangeError('Too deep.')
      }, 1_000),
    ).toThrow(RangeError)
  })

  it('is broken off when it takes longer, in a loop and in a pattern alike', () => {
    const forever = () => {
      for (;;);
    }
    expect(() => withTimeLimit(forever, 50)).toThrow('timed out')
    expect(() => withTimeLimit(() => /^(a+)+$/.test(`${'a'.repeat(60)}!`), 50)).toThrow('timed out')
  })
})
