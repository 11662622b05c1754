// v1 ends six calendar months after v2 was shipped, or later.
import { describe, expect, it } from 'vitest'
import { deprecationHeaders } from '../../shared/http/headers.ts'
import { isoTime, monthsLater, parseTime } from '../../shared/http/time.ts'

function seconds(text: string): number {
  return parseTime(text) ?? Number.NaN
}

describe('the deprecation headers of v1', () => {
  it('are missing while there is no v2', () => {
    expect(deprecationHeaders(undefined)).toEqual({})
  })

  it('give the date of the deprecation and of the end of v1 after v2 was shipped', () => {
    expect(deprecationHeaders(seconds('2026-08-29T01:02:03+01:00'))).toEqual({
      Deprecation: '@1787961723',
      Sunset: 'Mon, 01 Mar 2027 00:02:03 GMT',
    })
  })
})

describe('monthsLater', () => {
  it.each([
    ['2027-01-15', '2027-07-15'],
    ['2026-09-30T23:59:59Z', '2027-03-30T23:59:59Z'],
    ['2027-12-31', '2028-07-01'],
    ['2026-08-28', '2027-02-28'],
    ['2026-08-29', '2027-03-01'],
    ['2026-08-31', '2027-03-01'],
    ['2027-08-29', '2028-02-29'],
    ['2027-08-30', '2028-03-01'],
    ['2028-02-29', '2028-08-29'],
    ['2027-03-31', '2027-10-01'],
  ])('for %s returns %s, six months later or the next day that exists', (from, to) => {
    expect(isoTime(monthsLater(seconds(from), 6))).toBe(isoTime(seconds(to)))
  })
})
