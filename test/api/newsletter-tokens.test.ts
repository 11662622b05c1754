// The tokens in newsletter mails: which are accepted, and which are not.
import { beforeAll, describe, expect, it } from 'vitest'
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
})
