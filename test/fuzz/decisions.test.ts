// Tests which findings of schemathesis are expected.
import { describe, expect, it } from 'vitest'
import { decisionOn } from './decisions.ts'
import type { Finding } from './report.ts'

/** A request that is valid by the document, but refused by the service with these messages. */
function refusedFor(fields: Finding['fields']): Finding {
  return {
    check: 'positive_data_acceptance',
    operation: 'POST /api/v1/any',
    status: 422,
    code: 'VALIDATION_ERROR',
    fields,
    message: '',
    description: '',
    request: '',
    answer: '',
  }
}

describe('decisionOn a refused request that the document allows', () => {
  it.each(['parent_id', 'token', 'id', 'status', 'tokens', 'webhooks', 'replies'])(
    'does not expect the refusal for %s with another message',
    field => {
      for (const message of ['Must be a string.', 'Is required.', 'Must be at most 5.', '']) {
        expect(decisionOn(refusedFor({ [field]: [message] }))).toBeUndefined()
      }
    },
  )

  it('does not expect the refusal if one message or one field is unknown', () => {
    const known = 'Is wrong, used or expired.'
    expect(decisionOn(refusedFor({ token: [known, 'Must be a string.'] }))).toBeUndefined()
    expect(decisionOn(refusedFor({ token: [known], name: ['Is required.'] }))).toBeUndefined()
  })
})
