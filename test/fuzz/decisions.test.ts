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
  it.each([
    ['parent_id', 'Must be an approved comment of this post.'],
    ['parent_id', 'Is already 3 levels deep. Reply to a comment above it.'],
    ['token', 'Is wrong, used or expired.'],
    ['token', 'Is wrong or expired: ask for a new mail.'],
    ['id', 'Must not be your own id: you cannot ban yourself.'],
    ['status', 'The ticket is closed. Reopen it first.'],
    ['status', 'Only a resolved or closed ticket can be reopened.'],
    ['tokens', 'Must be at most 100: delete one first.'],
    ['webhooks', 'Must be at most 50: delete one first.'],
    ['replies', 'The ticket is full. Open a new ticket.'],
  ])('expects the refusal for %s: %s', (field, message) => {
    expect(decisionOn(refusedFor({ [field]: [message] }))).toContain('The rule depends on')
  })

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
