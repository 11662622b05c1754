// The newsletter by mail: requested without a login, confirmed and ended by the links in mails.
import { beforeAll, describe, expect, it } from 'vitest'
import { type NewsletterWorld, newsletterWorld } from '../world/newsletter-world.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
let readers: NewsletterWorld
beforeAll(async () => {
  readers = newsletterWorld(world)
})

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)

describe('POST /api/v1/newsletter/subscribe', () => {
  it('sends a mail with links to confirm and to unsubscribe', async () => {
    const email = readers.address()
    expect(await readers.subscribe(` ${email} `)).toMatchObject({ status: 200, data: {} })
    const { links, token, subject, html } = await world.mailTo(email)
    expect(links).toEqual(
      ['confirm', 'unsubscribe'].map(act => ({
        url: `${world.baseUrl}/newsletter/${act}?token=${token}`,
        path: `/newsletter/${act}`,
        token,
      })),
    )
    for (const { url } of links) expect(html).toContain(`href="${url}"`)
    expect(subject).toBe(`Confirm your subscription to ${new URL(world.baseUrl).host}`)
    expect(await readers.get(email)).toEqual({
      id: expect.any(Number),
      email,
      status: 'pending',
      subscribed_at: null,
      unsubscribed_at: null,
    })
  })

  it('answers the same for every address, and sends no second mail within five minutes', async () => {
    const [pending, subscribed] = [await readers.pending(), await readers.subscribed()]
    const answers = await Promise.all(
      [readers.address(), pending.email.toUpperCase(), subscribed.email].map(readers.subscribe),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await readers.mailsTo(pending.email)).toHaveLength(1)
    await readers.mailedAgo(pending.id, 5 * MINUTE)
    await readers.mailedAgo(subscribed.id, DAY)
    await readers.subscribe(pending.email)
    await readers.subscribe(subscribed.email)
    expect((await world.mailTo(pending.email, 2)).token).toBe(pending.token)
    expect(await readers.mailsTo(pending.email)).toHaveLength(2)
    expect(await readers.mailsTo(subscribed.email)).toHaveLength(1)
    expect((await readers.get(subscribed.email)).status).toBe('subscribed')
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
  it.each([
    ['bounce', 'bounce'],
    ['complaint', 'complaint'],
  ])('after a %s gets none, answers as before, and shows it to admins', async (name, reason) => {
    const email = `${name}+${world.unique('Reader').replace(' ', '')}@simulator.amazonses.com`
    const first = await readers.subscribe(email)
    await world.mailTo(email)
    const refused = await until('the notice of SES', async () => {
      const found = await readers.get(email)
      return found.mail_refusal && found
    })
    expect(refused).toMatchObject({ status: 'pending', mail_refusal: { reason, since: TIME } })
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
    expect(await readers.get(email)).toEqual({
      id,
      email,
      status: 'subscribed',
      subscribed_at: TIME,
      unsubscribed_at: null,
    })
    expect(await eventsAbout(id, 1)).toEqual([
      { event: 'newsletter.subscribed', data: { id, url: world.baseUrl, email } },
    ])
  })

  it('does not undo an unsubscription until the address is requested again', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.subscribed()
    await readers.unsubscribe(token)
    expect((await readers.confirm(token)).fields).toHaveProperty('token')
    await readers.subscribe(email)
    expect(await readers.get(email)).toMatchObject({ id, status: 'pending', unsubscribed_at: TIME })
    expect(await readers.mailsTo(email)).toHaveLength(1)
    expect((await readers.confirm(token)).status).toBe(200)
    expect(await readers.get(email)).toMatchObject({ id, status: 'subscribed', unsubscribed_at: null })
    const events = (await eventsAbout(id, 3)).map(({ event }) => event).sort()
    expect(events).toEqual(['newsletter.subscribed', 'newsletter.subscribed', 'newsletter.unsubscribed'])
  })
})

describe('POST /api/v1/newsletter/unsubscribe', () => {
  it('unsubscribes the address permanently, and fires once', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.subscribed()
    await readers.mailedAgo(id, 1_000 * DAY)
    const both = await Promise.all([readers.unsubscribe(token), readers.unsubscribe(token)])
    for (const answer of both) expect(answer).toMatchObject({ status: 200, data: {} })
    expect(await readers.get(email)).toMatchObject({
      status: 'unsubscribed',
      subscribed_at: TIME,
      unsubscribed_at: TIME,
    })
    expect((await eventsAbout(id, 2)).map(({ event }) => event).sort()).toEqual([
      'newsletter.subscribed',
      'newsletter.unsubscribed',
    ])
  })

  it('unsubscribes an address that never confirmed, without an event', async () => {
    const eventsAbout = await readers.listen()
    const { id, email, token } = await readers.pending()
    expect((await readers.unsubscribe(token)).status).toBe(200)
    expect(await readers.get(email)).toMatchObject({ status: 'unsubscribed', subscribed_at: null })
    expect(await eventsAbout(id, 0)).toEqual([])
  })
})
