// The sentence that explains a failed delivery: right for its cause, and without a private address.
import { describe, expect, it } from 'vitest'
import { DeliveryError, explain } from '../../shared/webhooks/failure.ts'

const URL = 'https://hooks.example.com/in?key=s3cret'
function because(code: string, message = 'connect to 10.0.0.5:443') {
  return Object.assign(new Error(message), { code })
}

describe('the explanation of a failure', () => {
  it.each([
    ['timeout', null, undefined, 'hooks.example.com did not answer within 5 seconds.'],
    [
      'timeout',
      200,
      undefined,
      'hooks.example.com answered 200, but its answer did not end within 5 seconds.',
    ],
    ['connection', null, because('ECONNREFUSED'), 'hooks.example.com refused the connection.'],
    [
      'connection',
      200,
      because('ECONNRESET'),
      'The connection to hooks.example.com broke before its answer was complete.',
    ],
    [
      'blocked_address',
      null,
      undefined,
      'hooks.example.com has no public address, and nothing is sent to other addresses.',
    ],
    [
      'interrupted',
      null,
      undefined,
      'The service was interrupted, so hooks.example.com may have got this or not.',
    ],
  ] as const)('of %s with status %s is "%s %s"', (error, responseStatus, cause, sentence) => {
    expect(explain({ url: URL, error, responseStatus, cause })).toBe(sentence)
    expect(
      explain({ url: URL, error, responseStatus, cause: cause && new DeliveryError(error, cause) }),
    ).toBe(sentence)
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
