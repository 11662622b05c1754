// The envelope as text is the envelope as JSON, whatever the message and the data contain.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paginationOf, success, successJson } from '../../shared/http/envelope.ts'

describe('successJson', () => {
  it('is the JSON of success', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.boolean(), (message, data, isPaged) => {
        const pagination = isPaged ? paginationOf(2, 12, 30) : undefined
        expect(successJson(message, JSON.stringify(data), pagination)).toBe(
          JSON.stringify(success(message, data, pagination)),
        )
      }),
    )
  })
})
