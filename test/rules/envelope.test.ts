// The envelope as text is the envelope as JSON, whatever the message and the data contain.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paginationOf, success, successJson } from '../../shared/http/reply.ts'

const texts = fc.string({ unit: 'binary' })
const cursors = fc.option(fc.record({ next: fc.option(texts), more: fc.boolean() }), { nil: undefined })

describe('successJson', () => {
  it('is the JSON of success', () => {
    fc.assert(
      fc.property(texts, fc.jsonValue(), fc.boolean(), cursors, (message, data, isPaged, cursor) => {
        const pagination = isPaged ? paginationOf(2, 12, 30) : undefined
        expect(successJson(message, JSON.stringify(data), { pagination, cursor })).toBe(
          JSON.stringify(success(message, data, { pagination, cursor })),
        )
      }),
    )
  })
})
