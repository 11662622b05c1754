// The newsletter for users, with their own address, and for admins, who list and delete subscribers.
import { beforeAll, describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { ownNewsletter } from '../../shared/newsletter/contract.ts'
import { type NewsletterWorld, newsletterWorld } from '../world/newsletter-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let readers: NewsletterWorld
beforeAll(async () => {
  readers = newsletterWorld(world)
})

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)

/** Creates a user with a token for the newsletter, and the calls that the user makes. */
async function newUser({ isVerified = true } = {}) {
  const { id, email, token } = await world.create.user({ abilities: ['newsletter:manage'] })
  await changeUser(world.table, id, user => ({ ...user, email_verified: isVerified }))
  return {
    email,
    verify: () => changeUser(world.table, id, user => ({ ...user, email_verified: true })),
    show: async () => (await world.call(ownNewsletter.getSubscription, { token })).data,
    subscribe: () => world.call(ownNewsletter.subscribeMe, { token }),
    leave: () => world.call(ownNewsletter.unsubscribeMe, { token }),
  }
}

describe('GET, POST and DELETE /api/v1/me/newsletter', () => {
  it('shows an address that never subscribed, without storing it', async () => {
    const user = await newUser()
    const nothing = {
      id: null,
      email: user.email,
      status: 'unsubscribed',
      subscribed_at: null,
      unsubscribed_at: null,
    }
    expect(await user.show()).toEqual(nothing)
    expect(await user.leave()).toMatchObject({ status: 200, data: {} })
    expect(await user.show()).toEqual(nothing)
    expect(await readers.find(user.email)).toBeUndefined()
  })

  it('subscribes a verified address immediately, without a mail, and fires one event for each change', async () => {
    const eventsAbout = await readers.listen()
    const user = await newUser()
    const { status, data } = await user.subscribe()
    expect([status, data]).toEqual([
      200,
      {
        id: expect.any(Number),
        email: user.email,
        status: 'subscribed',
        subscribed_at: TIME,
        unsubscribed_at: null,
      },
    ])
    const id = data.id ?? 0
    expect((await user.subscribe()).data).toEqual(data)
    expect(await readers.mailsTo(user.email)).toEqual([])
    for (let n = 0; n < 2; n++) expect((await user.leave()).status).toBe(200)
    expect(await user.show()).toEqual({ ...data, status: 'unsubscribed', unsubscribed_at: TIME })
    expect((await user.subscribe()).data).toMatchObject({ id, status: 'subscribed', unsubscribed_at: null })
    const events = await eventsAbout(id, 3)
    expect(events.map(({ event }) => event).sort()).toEqual([
      'newsletter.subscribed',
      'newsletter.subscribed',
      'newsletter.unsubscribed',
    ])
    for (const event of events) expect(event.data).toEqual({ id, url: world.baseUrl, email: user.email })
  })

  it('sends a mail to an unverified address, and no second one after unsubscribing and subscribing', async () => {
    const user = await newUser({ isVerified: false })
    expect((await user.subscribe()).data).toMatchObject({ status: 'pending', subscribed_at: null })
    const { token } = await world.mailTo(user.email)
    for (let n = 0; n < 3; n++) {
      await user.leave()
      expect((await user.subscribe()).data.status).toBe('pending')
    }
    expect(await readers.mailsTo(user.email)).toHaveLength(1)
    await readers.confirm(token)
    await user.verify()
    expect(await user.show()).toMatchObject({ status: 'subscribed', subscribed_at: TIME })
    expect((await user.subscribe()).data.status).toBe('subscribed')
  })

  it('neither shows nor ends the subscription of an address that the caller has not verified', async () => {
    const stranger = { id: null, subscribed_at: null, unsubscribed_at: null }
    for (const isConfirmed of [true, false]) {
      const user = await newUser({ isVerified: false })
      await readers.subscribe(user.email)
      const { token } = await world.mailTo(user.email)
      if (isConfirmed) await readers.confirm(token)
      const before = await readers.get(user.email)
      expect(await user.show()).toMatchObject({ ...stranger, status: 'unsubscribed' })
      expect((await user.subscribe()).data).toMatchObject({ ...stranger, status: 'pending' })
      expect(await user.show()).toMatchObject({ ...stranger, status: 'pending' })
      expect(await user.leave()).toMatchObject({ status: 200, data: {} })
      expect(await user.show()).toMatchObject({ ...stranger, status: 'unsubscribed' })
      expect(await readers.get(user.email)).toEqual(before)
      expect((await readers.confirm(token)).status).toBe(200)
      await user.verify()
      expect(await user.show()).toMatchObject({ id: before.id, status: 'subscribed' })
    }
  })

  it('shares one subscription with the links in mails to the address, ignoring case', async () => {
    const user = await newUser()
    const email = user.email.toUpperCase()
    await readers.subscribe(email)
    const { id } = await readers.get(email)
    expect(await user.show()).toMatchObject({ id, email, status: 'pending' })
    expect((await user.subscribe()).data).toMatchObject({ id, status: 'subscribed' })
    const { token } = await world.mailTo(email)
    expect((await readers.confirm(token)).status).toBe(200)
    expect((await readers.unsubscribe(token)).status).toBe(200)
    expect(await user.show()).toMatchObject({ id, status: 'unsubscribed' })
  })
})

describe('GET /api/v1/admin/newsletter', () => {
  it('lists subscribers newest first, all or by status', async () => {
    const [pending, subscribed, unsubscribed] = [
      await readers.pending(),
      await readers.subscribed(),
      await readers.subscribed(),
    ]
    await readers.unsubscribe(unsubscribed.token)
    const newest = await readers.list({ per_page: 3 })
    expect(newest.data.map(({ id, status }) => [id, status])).toEqual([
      [unsubscribed.id, 'unsubscribed'],
      [subscribed.id, 'subscribed'],
      [pending.id, 'pending'],
    ])
    for (const { id, status } of newest.data) {
      const { data } = await readers.list({ status, per_page: 100 })
      expect(new Set(data.map(subscriber => subscriber.status))).toEqual(new Set([status]))
      expect(data[0]?.id).toBe(id)
    }
    expect((await readers.list({ status: 'gone' })).fields).toHaveProperty('status')
  })
})

describe('DELETE /api/v1/admin/newsletter/{id}', () => {
  it('deletes the subscriber without an event; a later request creates a new subscriber', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.subscribed()
    const answers = await Promise.all([readers.remove(id), readers.remove(id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(await readers.find(email)).toBeUndefined()
    expect((await readers.confirm(token)).fields).toHaveProperty('token')

    await readers.subscribe(email)
    const again = await readers.get(email)
    expect(again).toMatchObject({ status: 'pending', subscribed_at: null })
    expect(again.id).not.toBe(id)
    expect((await world.mailTo(email, 2)).token).not.toBe(token)
    expect((await eventsAbout(id, 1)).map(({ event }) => event)).toEqual(['newsletter.subscribed'])
  })
})
