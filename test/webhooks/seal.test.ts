// Webhook secrets at rest: only the right key decrypts them, and only for the right subscription.
import { describe, expect, it } from 'vitest'
import { seal, unseal } from '../../shared/webhooks/seal.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const keys = new Map([
  [1, 'the first key of this installation'],
  [2, 'the key after the first rotation'],
])
const sealed = seal(secret, { key: 'the first key of this installation', keyNumber: 1, id: 7 })

describe('a sealed secret', () => {
  it('decrypts to the original secret', () => {
    expect(unseal(sealed, { keys, id: 7 })).toBe(secret)
    expect(
      unseal(seal('Grüße 👋', { key: 'k', keyNumber: 3, id: 1 }), { keys: new Map([[3, 'k']]), id: 1 }),
    ).toBe('Grüße 👋')
  })

  it('reveals nothing of the secret, and is different each time', () => {
    expect(sealed).toMatch(/^1\.[\w-]+$/)
    expect(Buffer.from(sealed.slice(2), 'base64url').includes('whsec_')).toBe(false)
    expect(seal(secret, { key: 'the first key of this installation', keyNumber: 1, id: 7 })).not.toBe(sealed)
  })

  it('can be decrypted after a rotation while its old key is configured', () => {
    const later = seal(secret, { key: 'the key after the first rotation', keyNumber: 2, id: 7 })
    expect(later).toMatch(/^2\./)
    expect(unseal(later, { keys, id: 7 })).toBe(secret)
    expect(unseal(sealed, { keys, id: 7 })).toBe(secret)
    const withoutFirst = new Map([[2, 'the key after the first rotation']])
    expect(() => unseal(sealed, { keys: withoutFirst, id: 7 })).toThrow('key 1, which is not configured')
  })

  it('cannot be decrypted for another subscription', () => {
    expect(() => unseal(sealed, { keys, id: 8 })).toThrow('webhook 8 cannot be decrypted')
  })

  it('cannot be decrypted with another key, or under another key number', () => {
    expect(() => unseal(sealed, { keys: new Map([[1, 'guessed']]), id: 7 })).toThrow(
      'cannot be decrypted with key 1',
    )
    const renumbered = new Map([[2, 'the first key of this installation']])
    expect(() => unseal(sealed.replace('1.', '2.'), { keys: renumbered, id: 7 })).toThrow(
      'cannot be decrypted with key 2',
    )
  })

  it('cannot be decrypted when any part was changed or cut', () => {
    const bytes = Buffer.from(sealed.slice(2), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      expect(() => unseal(`1.${altered.toString('base64url')}`, { keys, id: 7 })).toThrow(
        'cannot be decrypted',
      )
      expect(() => unseal(`1.${bytes.toString('base64url', 0, at)}`, { keys, id: 7 })).toThrow()
    }
    for (const text of ['', 'whsec_plain', '1.', `${sealed} `]) {
      expect(() => unseal(text, { keys, id: 7 })).toThrow('damaged')
    }
  })
})
