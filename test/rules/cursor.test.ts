// Cursors: opened only by the same endpoint with the same filters, and opaque to their holder.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { LONGEST_CURSOR } from '../../shared/http/parameters.ts'
import { openCursor, sealCursor } from '../../shared/lists/cursor.ts'
import { textOrder } from '../../shared/lists/text-order.ts'

const HERE = { key: 'the key of clients', place: 'GET /posts' }
const Position = z.object({ order: z.string() })
const position = { order: '000101780000000#000000000000012' }
const cursor = sealCursor(position, HERE)

function open(cursor: string, { key, place } = HERE) {
  return openCursor(cursor, { key, place, parameter: 'after', schema: Position })
}

function expectRefused(cursor: string, at = HERE) {
  const fields = { after: [expect.stringContaining('Must be a cursor')] }
  const refusal = expect.objectContaining({ code: 'VALIDATION_ERROR', fields })
  expect(() => open(cursor, at), cursor.slice(0, LONGEST_CURSOR)).toThrow(refusal)
}

describe('a cursor', () => {
  it('gives the position again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (order, place) => {
        const at = { ...HERE, place }
        expect(open(sealCursor({ order }, at), at)).toEqual({ order })
      }),
      { numRuns: 50 },
    )
  })

  it('is the same for the same position, so that an answer with it keeps its ETag', () => {
    expect(sealCursor({ ...position }, { ...HERE })).toBe(cursor)
  })

  it('differs from its beginning on for another position, place or key', () => {
    const others = [
      sealCursor({ order: '000101780000000#000000000000013' }, HERE),
      sealCursor(position, { ...HERE, place: 'GET /pages' }),
      sealCursor(position, { ...HERE, key: 'another key of clients' }),
    ]
    expect(new Set([cursor, ...others].map(text => text.slice(0, 8))).size).toBe(4)
  })

  it('says nothing of the position', () => {
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/order|0001017|posts/)
  })

  it('fits into the longest cursor with the longest title', () => {
    for (const character of ['\u{10ffff}', '"', '\u0001', 'ﷺ']) {
      const order = textOrder(character.repeat(255), 999_999_999_999_999)
      expect(sealCursor({ order }, HERE).length, character).toBeLessThanOrEqual(LONGEST_CURSOR)
    }
  })
})

describe('openCursor', () => {
  it('throws VALIDATION_ERROR on the parameter for a cursor of another place or key', () => {
    expectRefused(cursor, { ...HERE, place: 'GET /pages' })
    expectRefused(cursor, { ...HERE, key: 'another key of clients' })
  })

  it('throws VALIDATION_ERROR after a change of any character', () => {
    for (let n = 0; n < cursor.length; n++) {
      const other = cursor[n] === 'A' ? 'B' : 'A'
      expectRefused(`${cursor.slice(0, n)}${other}${cursor.slice(n + 1)}`)
    }
  })

  it.each([
    '',
    'x',
    '%',
    `${cursor}A`,
    `${cursor}=`,
    ` ${cursor}`,
    cursor.slice(1),
    cursor.slice(0, -4),
    'A'.repeat(40),
  ])('throws VALIDATION_ERROR for %j', broken => {
    expectRefused(broken)
  })

  it('throws VALIDATION_ERROR for a text that is too long, without opening it', () => {
    expectRefused('A'.repeat(1_000_000))
  })

  it('throws VALIDATION_ERROR for a position of another form', () => {
    expectRefused(sealCursor({ id: 1 }, HERE))
  })
})
