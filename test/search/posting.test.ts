// The weights of the fields, and the format of packed postings.
import { describe, expect, it } from 'vitest'
import { LAST_SECOND } from '../../shared/http/time.ts'
import {
  FIELDS,
  HEAVIEST,
  LIGHTEST,
  packPostings,
  unpackNumbers,
  unpackPostings,
} from '../../shared/search/posting.ts'

describe('the weights of the fields', () => {
  it('rank a title before a short description before a body', () => {
    expect(FIELDS).toEqual([
      ['title', HEAVIEST],
      ['short', 2],
      ['body', LIGHTEST],
    ])
  })
})

describe('packed postings', () => {
  const postings = [
    { weight: HEAVIEST, posted_at: LAST_SECOND - 10, id: 7, is_page: false },
    { weight: HEAVIEST, posted_at: LAST_SECOND - 30, id: 5, is_page: true },
    { weight: LIGHTEST, posted_at: LAST_SECOND - 20, id: 9, is_page: false },
  ]

  it('have the stored format: the step of the id with the flags, then the seconds before the previous posting', () => {
    const lighter = HEAVIEST - LIGHTEST
    expect(unpackNumbers(packPostings(postings))).toEqual([
      14 * 8,
      10,
      3 * 8 + 1,
      20,
      8 * 8 + lighter * 2,
      20,
    ])
  })

  it('are the same after unpacking', () => {
    expect(unpackPostings(packPostings(postings))).toEqual(postings)
  })
})
