// The tokens in newsletter mails: which are accepted, and which are not.
import { beforeAll, describe, expect, it } from 'vitest'
import { linkToken } from '../../shared/mail/link-token.ts'
import { subscriberToken } from '../../shared/newsletter/links.ts'
import { type NewsletterWorld, newsletterWorld } from '../world/newsletter-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let readers: NewsletterWorld
beforeAll(async () => {
  readers = newsletterWorld(world)
})

function keyOf(secret: string): string {
  return Object.entries(world.secrets.values).find(([id]) => id.startsWith(secret))?.[1] ?? ''
}

describe('a newsletter token', () => {
  it('unsubscribes from an old mail, whose token is signed with the key of client addresses', async () => {
    const { id, email } = await readers.subscribed()
    expect((await readers.unsubscribe(subscriberToken(keyOf('ClientKey'), id))).status).toBe(200)
    expect((await readers.get(email)).status).toBe('unsubscribed')
  })

  it('is answered with 422 if it is empty, forged, for another purpose, or of a deleted subscriber', async () => {
    const key = keyOf('PrivateKey')
    const { id, email, token } = await readers.pending()
    const deleted = await readers.pending()
    await readers.remove(deleted.id)
    const invalid = [
      '',
      'nonsense',
      `${token}x`,
      token.replace(/^\d+/, String(id + 1)),
      linkToken(key, { purpose: 'verify-email', id, expiresAt: 0, state: '' }),
      subscriberToken('another key of addresses', id),
      subscriberToken(key, 999_999),
      deleted.token,
      'x'.repeat(10_000),
    ]
    for (const text of invalid) {
      for (const answer of [await readers.confirm(text), await readers.unsubscribe(text)]) {
        expect([answer.status, Object.keys(answer.fields ?? {})], text).toEqual([422, ['token']])
      }
    }
    expect((await readers.get(email)).status).toBe('pending')
  })
})
