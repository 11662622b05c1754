// The sentence that explains a failed delivery: right for its cause, and without a private address.
import { describe, expect, it } from 'vitest'
import { DeliveryError, explain } from '../../shared/webhooks/failure.ts'

const URL = 'https://a.example/in?key=s3cret'

function because(code: string, message = 'connect to 10.0.0.5:443') {
  return Object.assign(new Error(message), { code })
}

describe('the explanation of a failure', () => {
  it.each([
    ['timeout', null, 'a.example did not answer within 5 seconds.'],
    ['timeout', 200, 'a.example answered 200, but its answer did not end within 5 seconds.'],
    ['connection', null, 'a.example refused the connection.', 'ECONNREFUSED'],
    ['connection', 200, 'The connection to a.example broke before its answer was complete.', 'ECONNRESET'],
    ['blocked_address', null, 'a.example has no public address, and nothing is sent to other addresses.'],
    ['interrupted', null, 'The service was interrupted, so a.example may have got this or not.'],
  ] as const)('of %s with status %s is "%s"', (error, responseStatus, sentence, code?) => {
    const cause = code && because(code)
    expect(explain({ url: URL, error, responseStatus, cause })).toBe(sentence)
    const wrapped = error === 'interrupted' ? cause : new DeliveryError(error, cause)
    expect(explain({ url: URL, error, responseStatus, cause: wrapped })).toBe(sentence)
  })

  it.each(['http://10.0.0.5:8080/', 'http://[fd00::5]/', 'http://localhost:4000/', 'http://127.1/'])(
    'does not show the address of %s',
    url => {
      for (const error of ['connection', 'blocked_address', 'timeout', 'interrupted'] as const) {
        const sentence = explain({ url, error, responseStatus: null, cause: because('ECONNREFUSED') })
        expect(sentence).not.toMatch(/\d+\.\d+|fd00|localhost/)
        expect(sentence).toMatch(/^[A-Z]/)
      }
    },
  )
})
