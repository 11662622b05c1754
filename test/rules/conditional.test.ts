// What a tag is, and when a condition holds (RFC 9110, 13.1).
import { describe, expect, it } from 'vitest'
import { isUnmodified, requireMatch, strongTag, weakTag } from '../../shared/lambda/conditional.ts'

describe('a tag', () => {
  it('is weak for the public and says nothing but that the answer is the same', () => {
    expect(weakTag('{"a":1}')).toMatch(/^W\/"[\w-]{27}"$/)
    expect(weakTag('{"a":1}')).toBe(weakTag('{"a":1}'))
    expect(weakTag('{"a":1}')).not.toBe(weakTag('{"a":2}'))
  })

  it('is strong for admins and names the version', () => {
    expect(strongTag(12, {})).toMatch(/^"12\.[\w-]{27}"$/)
  })
})

describe('If-None-Match', () => {
  const WEAK = 'W/"abc"'
  it.each(['W/"abc"', '"abc"', '*', ' * ', '"x", W/"abc"', 'W/"x","abc" , "y"', '"a,b", "abc"'])(
    'is satisfied by the answer that one has: %s',
    given => {
      expect(isUnmodified(given, WEAK)).toBe(true)
    },
  )

  it.each([undefined, '', '"abcd"', 'abc', '"ab", "c"', '"x,abc"', 'w/abc'])(
    'lets the answer through: %s',
    given => {
      expect(isUnmodified(given, WEAK)).toBe(false)
    },
  )

  it('compares the whole of a strong tag', () => {
    expect(isUnmodified('"3.abc"', '"3.abc"')).toBe(true)
    expect(isUnmodified('"3.abd"', '"3.abc"')).toBe(false)
  })
})

describe('If-Match', () => {
  it.each([undefined, '*', ' * ', '"3.abc"', '"2.x", "3.y"', '"3."'])(
    'lets version 3 be changed: %s',
    given => {
      expect(() => requireMatch(given, 3)).not.toThrow()
    },
  )

  it.each(['', 'W/"3.abc"', '"2.abc"', '"30.abc"', '"13.abc"', '3.abc', '"2.x", W/"3.y"', '"x, 3.y"'])(
    'keeps version 3 from being changed: %s',
    given => {
      expect(() => requireMatch(given, 3)).toThrow(expect.objectContaining({ code: 'PRECONDITION_FAILED' }))
    },
  )
})
