// ETags, and when a precondition holds (RFC 9110, 13.1).
import { describe, expect, it } from 'vitest'
import { isUnmodified, requireMatch, strongTag, weakTag } from '../../shared/lambda/etag.ts'

describe('an ETag', () => {
  it('is weak for a public answer and depends only on the answer', () => {
    expect(weakTag('{"a":1}')).toMatch(/^W\/"[\w-]{27}"$/)
    expect(weakTag('{"a":1}')).toBe(weakTag('{"a":1}'))
    expect(weakTag('{"a":1}')).not.toBe(weakTag('{"a":2}'))
  })

  it('is strong for an admin answer and contains the version', () => {
    expect(strongTag(12, '{}')).toMatch(/^"12\.[\w-]{27}"$/)
  })
})

describe('If-None-Match', () => {
  const WEAK = 'W/"abc"'
  it.each(['W/"abc"', '"abc"', '*', ' * ', '"x", W/"abc"', 'W/"x","abc" , "y"', '"a,b", "abc"'])(
    'matches the ETag of the answer: %s',
    header => {
      expect(isUnmodified(header, WEAK)).toBe(true)
    },
  )

  it.each([undefined, '', '"abcd"', 'abc', '"ab", "c"', '"x,abc"', 'w/abc'])(
    'does not match another ETag: %s',
    header => {
      expect(isUnmodified(header, WEAK)).toBe(false)
    },
  )

  it('compares strong ETags as a whole', () => {
    expect(isUnmodified('"3.abc"', '"3.abc"')).toBe(true)
    expect(isUnmodified('"3.abd"', '"3.abc"')).toBe(false)
  })
})

describe('If-Match', () => {
  it.each([undefined, '*', ' * ', '"3.abc"', '"2.x", "3.y"', '"3."', ', "3.x",', '"2.,","3.y"'])(
    'permits a change of version 3: %s',
    header => {
      expect(() => requireMatch(header, 3)).not.toThrow()
    },
  )

  it.each([
    '',
    'W/"3.abc"',
    '"2.abc"',
    '"30.abc"',
    '"13.abc"',
    '3.abc',
    '"2.x", W/"3.y"',
    '"x, 3.y"',
    'w/"3.abc"',
    'W/ "3.abc"',
    'x"3.abc"',
    '"3.abc"x',
    '"2.x" "3.abc"',
  ])('refuses a change of version 3: %s', header => {
    expect(() => requireMatch(header, 3)).toThrow(expect.objectContaining({ code: 'PRECONDITION_FAILED' }))
  })
})
