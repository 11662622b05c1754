// The limits of mails: three of a kind an hour to a mailbox, a maximum for all, and none without a sender.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { clientKey } from '../../shared/limits/client-key.ts'
import { refund } from '../../shared/limits/limiter.ts'
import { limitKey, mailKey } from '../../shared/table/design.ts'
import { KEY, type Office, openOffice } from './mail-world.ts'

let office: Office
beforeAll(async () => {
  office = await openOffice()
})
afterAll(() => office.stop())

const MINUTE_MS = 60_000
const start = Date.parse('2026-02-01T12:00:00.250Z')

describe('the mails to an address', () => {
  it('are at most three of a kind in any hour; further ones are dropped silently', async () => {
    const { id, email } = await office.user()
    const came = []
    for (const minute of [0, 30, 59, 59.9, 60, 60.1, 89, 90]) {
      office.clock.nowMs = start + minute * MINUTE_MS
      const before = office.mailsTo(email).length
      expect(await office.receive(office.order({ kind: 'verify-email', user_id: id }))).toBe(true)
      if (office.mailsTo(email).length > before) came.push(minute)
    }
    expect(came).toEqual([0, 30, 59, 60, 90])
  })

  it('are exactly three when many are ordered at once', async () => {
    const { id, email } = await office.user()
    const orders = Array.from({ length: 8 }, () => office.order({ kind: 'verify-email', user_id: id }))
    await Promise.all(orders.map(office.receive))
    expect(office.mailsTo(email)).toHaveLength(3)
  })

  it('are counted by kind, and by address ignoring case', async () => {
    const { id, email } = await office.user()
    for (const kind of ['reset-password', 'verify-email'] as const) {
      for (const address of [email, email, email.toUpperCase(), email.toUpperCase()]) {
        await office.receive(
          office.order(kind === 'verify-email' ? { kind, user_id: id } : { kind, email: address }),
        )
      }
    }
    expect(office.mailsTo(email).map(({ subject }) => subject.split(' ')[0])).toEqual([
      ...Array(3).fill('A'),
      ...Array(3).fill('Confirm'),
    ])
  })

  it('count once each, however often they are retried', async () => {
    const { id, email } = await office.user()
    const throttled = { status: 429, type: 'TooManyRequestsException' }
    office.willAnswer(throttled, throttled, throttled)
    const first = office.order({ kind: 'verify-email', user_id: id })
    for (let n = 0; n < 3; n++) expect(await office.receive(first)).toBe(false)
    const more = [1, 2, 3].map(() => office.order({ kind: 'verify-email', user_id: id }))
    for (const message of [...more, first]) await office.receive(message)
    expect(office.mailsTo(email)).toHaveLength(3)
    expect(await office.statusOf(first)).toBe('sent')
  })

  it('are counted by mailbox: sub-addresses share its limit, but accounts stay separate', async () => {
    const { email } = await office.user()
    const [name, host] = email.split('@')
    const addresses = ['', '+1', '+2', '+a+b', '+4'].map(tag => `${name}${tag}@${host}`)
    const nowSeconds = Math.floor(office.clock.nowMs / 1000)
    for (const address of addresses) {
      const wanted = { name: 'Ada', email: address, email_verified: false, password_hash: null }
      if (address !== email) await createUser(office.table, wanted, nowSeconds)
      expect(await office.receive(office.order({ kind: 'reset-password', email: address }))).toBe(true)
    }
    expect(addresses.map(address => office.mailsTo(address).length)).toEqual([1, 1, 1, 0, 0])
  })

  it('leave no address in the table, only its HMAC', async () => {
    const { id, email } = await office.user()
    const message = office.order({ kind: 'verify-email', user_id: id })
    await office.receive(message)
    const bucket = limitKey('mail-verify-email', clientKey(email, KEY))
    const kept = await office.table.findMany([bucket, mailKey(message.id)])
    expect(kept).toHaveLength(2)
    expect(JSON.stringify(kept)).not.toContain('@')
  })
})

describe('all mails of a kind together', () => {
  const ceiling = (kind: string, hits: number) => {
    const window_end = office.clock.nowMs + 10 * MINUTE_MS
    return office.table.write({ Put: { Item: { ...limitKey(`mail-all-${kind}`, 'all'), hits, window_end } } })
  }

  it('are limited per hour: further ones are sent later, and each delay is logged', async () => {
    office.clock.nowMs = Date.parse('2026-03-01T12:00:00Z')
    // Later test files have an earlier clock and share the limiter's cache.
    onTestFinished(() => refund(office.table, { scope: 'mail-all-verify-email', kind: 'window' }, 'all', 0))
    const [first, second] = [await office.user(), await office.user()]
    await ceiling('verify-email', 499)
    await ceiling('confirm-newsletter', 1_000)
    const order = ({ id }: { id: number }) => office.order({ kind: 'verify-email', user_id: id })
    expect(await office.receive(order(first))).toBe(true)
    const late = order(second)
    expect(await office.receive(late)).toBe(false)
    expect(await office.statusOf(late)).toBeUndefined()
    expect(office.logged.join()).toContain(
      `"message":"mail","mail_id":"${late.id}","kind":"verify-email","status":"over_ceiling"`,
    )
    office.clock.nowMs += 10 * MINUTE_MS
    expect(await office.receive(late)).toBe(true)
    expect([office.mailsTo(first.email).length, office.mailsTo(second.email).length]).toEqual([1, 1])
  })
})

describe('a deployment without a sender', () => {
  it('ends a mail as `no_sender`', async () => {
    const silent = await openOffice({ MAIL_SENDER: '' })
    onTestFinished(() => silent.stop())
    const { id, email } = await silent.user()
    const message = silent.order({ kind: 'verify-email', user_id: id })
    expect(await silent.receive(message)).toBe(true)
    expect(await silent.statusOf(message)).toBe('no_sender')
    expect(silent.mailsTo(email)).toEqual([])
  })
})
