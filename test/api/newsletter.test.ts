// The newsletter by the links in mails, for users with their own address, and for admins.
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { ownNewsletter } from '../../shared/newsletter/contract.ts'
import { newsletterWorld } from '../support/newsletter-world.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const readers = newsletterWorld(world)

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
const NEVER = { subscribed_at: null, unsubscribed_at: null }
const SUBSCRIBED = { status: 'subscribed', subscribed_at: TIME, unsubscribed_at: null }

describe('POST /api/v1/newsletter/subscribe', () => {
  it('sends a mail with links to confirm and to unsubscribe', async () => {
    const email = readers.address()
    expect(await readers.subscribe(` ${email} `)).toMatchObject({ status: 200, data: {} })
    const { links, token, subject, html } = await world.mailTo(email)
    const urls = ['confirm', 'unsubscribe'].map(act => `${world.baseUrl}/newsletter/${act}?token=${token}`)
    expect(links.map(({ url }) => url)).toEqual(urls)
    for (const url of urls) expect(html).toContain(`href="${url}"`)
    expect(subject).toBe(`Confirm your subscription to ${new URL(world.baseUrl).host}`)
    const id = expect.any(Number)
    expect(await readers.get(email)).toEqual({ id, email, status: 'pending', ...NEVER })
  })

  it('answers the same for every address, and sends no second mail within five minutes', async () => {
    const [pending, subscribed] = [await readers.pending(), await readers.subscribed()]
    const answers = await Promise.all(
      [readers.address(), pending.email.toUpperCase(), subscribed.email].map(readers.subscribe),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await readers.mailsTo(pending.email)).toHaveLength(1)
    await readers.mailedAgo(pending.id, 5 * MINUTE)
    await readers.subscribe(pending.email)
    expect((await world.mailTo(pending.email, 2)).token).toBe(pending.token)
    expect(await readers.mailsTo(subscribed.email)).toHaveLength(1)
  })

  it('creates one subscriber and one mail for twenty concurrent requests, ignoring case', async () => {
    const email = readers.address()
    const spellings = [email, email.toUpperCase(), email.toLowerCase()]
    const before = (await readers.list()).pagination.total
    const all = Array.from({ length: 20 }, (_, n) => readers.subscribe(spellings[n % 3]))
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await readers.list()).pagination.total).toBe(before + 1)
    await until('all queues to be empty', world.isIdle)
    expect(world.mails.filter(({ to }) => to.toLowerCase() === email.toLowerCase())).toHaveLength(1)
  })
})

describe('an address that refuses mail', () => {
  it('gets none, answers as before, and shows it to admins', async () => {
    const email = `bounce+${world.unique('Reader').replace(' ', '')}@simulator.amazonses.com`
    const first = await readers.subscribe(email)
    await world.mailTo(email)
    const refused = await until('the notice of SES', async () => {
      const found = await readers.get(email)
      return found.mail_refusal && found
    })
    expect(refused).toMatchObject({ status: 'pending', mail_refusal: { reason: 'bounce', since: TIME } })
    await readers.mailedAgo(refused.id, 5 * MINUTE)
    const again = await readers.subscribe(email)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(await readers.mailsTo(email)).toHaveLength(1)
  })
})

describe('POST /api/v1/newsletter/confirm', () => {
  it('subscribes the address, answers the same again, and fires once', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.pending()
    const both = await Promise.all([readers.confirm(token), readers.confirm(token)])
    for (const answer of [...both, await readers.confirm(` ${token} `)]) {
      expect(answer).toMatchObject({ status: 200, data: {} })
    }
    expect(await readers.get(email)).toEqual({ id, email, ...SUBSCRIBED })
    expect(await eventsAbout(id, 1)).toEqual([
      { event: 'newsletter.subscribed', data: { id, url: world.baseUrl, email } },
    ])
  })
})

describe('POST /api/v1/newsletter/unsubscribe', () => {
  it('unsubscribes the address permanently, and fires once', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.subscribed()
    await readers.mailedAgo(id, 1_000 * DAY)
    const both = await Promise.all([readers.unsubscribe(token), readers.unsubscribe(token)])
    for (const answer of both) expect(answer).toMatchObject({ status: 200, data: {} })
    const left = { status: 'unsubscribed', subscribed_at: TIME, unsubscribed_at: TIME }
    expect(await readers.get(email)).toMatchObject(left)
    const events = (await eventsAbout(id, 2)).map(({ event }) => event)
    expect(events.sort()).toEqual(['newsletter.subscribed', 'newsletter.unsubscribed'])
  })

  it('unsubscribes an address that never confirmed, without an event', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.pending()
    expect((await readers.unsubscribe(token)).status).toBe(200)
    expect(await readers.get(email)).toMatchObject({ status: 'unsubscribed', subscribed_at: null })
    expect(await eventsAbout(id, 0)).toEqual([])
  })
})

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
    const nothing = { id: null, email: user.email, status: 'unsubscribed', ...NEVER }
    expect(await user.show()).toEqual(nothing)
    expect(await user.leave()).toMatchObject({ status: 200, data: {} })
    expect(await user.show()).toEqual(nothing)
    expect(await readers.find(user.email)).toBeUndefined()
  })

  it('subscribes a verified address immediately, without a mail, and fires one event for each change', async () => {
    const eventsAbout = await readers.listen()
    const user = await newUser()
    const { status, data } = await user.subscribe()
    expect([status, data]).toEqual([200, { id: expect.any(Number), email: user.email, ...SUBSCRIBED }])
    const id = data.id ?? 0
    expect((await user.subscribe()).data).toEqual(data)
    expect(await readers.mailsTo(user.email)).toEqual([])
    for (let n = 0; n < 2; n++) expect((await user.leave()).status).toBe(200)
    expect(await user.show()).toEqual({ ...data, status: 'unsubscribed', unsubscribed_at: TIME })
    expect((await user.subscribe()).data).toMatchObject({ id, status: 'subscribed', unsubscribed_at: null })
    const events = await eventsAbout(id, 3)
    const names = ['newsletter.subscribed', 'newsletter.subscribed', 'newsletter.unsubscribed']
    expect(events.map(({ event }) => event).sort()).toEqual(names)
    for (const event of events) expect(event.data).toEqual({ id, url: world.baseUrl, email: user.email })
  })

  it('neither shows nor ends the subscription of an address that the caller has not verified', async () => {
    const stranger = { id: null, ...NEVER }
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
