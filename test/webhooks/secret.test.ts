// Webhook secrets at rest: only the right key decrypts them, and only for the right subscription.
import { describe, expect, it } from 'vitest'
import { sealSecret, secretsAt } from '../../shared/webhooks/secret.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const FIRST = { id: 1, key: 'the first key of this installation' }
const SECOND = { id: 2, key: 'the key after the first rotation' }
const first = { PRIVATE_KEY: FIRST.key }
const both = { PRIVATE_KEY: JSON.stringify({ current: SECOND, previous: FIRST }) }
const onlySecond = { PRIVATE_KEY: JSON.stringify({ current: SECOND }) }
const sealed = sealSecret(first, 7, secret)

function open(environment: { PRIVATE_KEY: string }, sealed_secret: string, id = 7): string {
  return secretsAt(environment, { id, sealed_secret }, 0)[0]
}

describe('a sealed secret', () => {
  it('decrypts to the original secret', () => {
    expect(open(first, sealed)).toBe(secret)
    expect(open(first, sealSecret(first, 1, 'Grüße 👋'), 1)).toBe('Grüße 👋')
  })

  it('reveals nothing of the secret, and is different each time', () => {
    expect(sealed).toMatch(/^[\w-]+$/)
    expect(Buffer.from(sealed, 'base64url').includes('whsec_')).toBe(false)
    expect(sealSecret(first, 7, secret)).not.toBe(sealed)
  })

  it('can be decrypted after a rotation while its old key is configured', () => {
    const later = sealSecret(both, 7, secret)
    expect(later).toMatch(/^2\./)
    expect([open(both, later), open(both, sealed)]).toEqual([secret, secret])
    expect(() => open(onlySecond, sealed)).toThrow('key 1, with which it was sealed, is not configured')
  })

  it('cannot be decrypted for another subscription', () => {
    expect(() => open(first, sealed, 8)).toThrow('webhook 8 cannot be decrypted')
  })

  it('cannot be decrypted with another key, or under another key number', () => {
    expect(() => open({ PRIVATE_KEY: 'guessed' }, sealed)).toThrow('cannot be decrypted: key 1')
    expect(() => open(both, `2.${sealed}`)).toThrow('cannot be decrypted: key 2')
  })

  it('cannot be decrypted when any part was changed or cut', () => {
    const bytes = Buffer.from(sealed, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      expect(() => open(first, altered.toString('base64url'))).toThrow('cannot be decrypted')
      expect(() => open(first, bytes.toString('base64url', 0, at))).toThrow('cannot be decrypted')
    }
    for (const text of ['', 'whsec_plain', '1.', '?']) expect(() => open(first, text)).toThrow()
  })
})
