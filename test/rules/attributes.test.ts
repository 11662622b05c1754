// Items as attribute values, where a direct call leaves out a value or leaves the call to the SDK.
import { describe, expect, it } from 'vitest'
import { Unfamiliar } from '../../shared/aws/shapes.ts'
import { fromAttributes, toAttributes } from '../../shared/table/attributes.ts'

describe('toAttributes', () => {
  it('leaves out what is undefined, in items, maps and lists', () => {
    const item = { a: undefined, map: { b: undefined, c: 1 }, list: [undefined, 'd', undefined] }
    expect(toAttributes(item)).toEqual({
      map: { M: { c: { N: '1' } } },
      list: { L: [{ S: 'd' }] },
    })
  })
})

describe('fromAttributes', () => {
  it.each(['A', 'AAE', 'AA=A', 'AA E', 'AAé='])('leaves bytes to the SDK that are not base64: %s', B => {
    expect(() => fromAttributes({ bytes: { B } })).toThrow(Unfamiliar)
  })

  it('reads bytes', () => {
    expect(fromAttributes({ bytes: { B: 'AAE=' } })).toEqual({ bytes: new Uint8Array([0, 1]) })
  })
})
