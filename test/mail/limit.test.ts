// The limits of mails: three of a kind an hour to a mailbox, a maximum for all, and none without a sender.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { clientKey, refund } from '../../shared/limits/limiter.ts'
import { limitKey, mailKey } from '../../shared/table/design.ts'
import { use } from '../support/use.ts'
import { KEY, openMailWorld } from './mail-world.ts'

const world = use(openMailWorld)

const MINUTE_MS = 60_000
const start = Date.parse('2026-02-01T12:00:00.250Z')

describe('the mails to an address', () => {
  it('are at most three of a kind in any hour; further ones are dropped silently', async () => {
    const { id, email } = await world.user()
    const came = []
    for (const minute of [0, 30, 59, 59.9, 60, 60.1, 89, 90]) {
      world.clock.nowMs = start + minute * MINUTE_MS
      const before = world.mailsTo(email).length
      expect(await world.receive(world.order({ kind: 'verify-email', user_id: id }))).toBe(true)
      if (world.mailsTo(email).length > before) came.push(minute)
    }
    expect(came).toEqual([0, 30, 59, 60, 90])
  })

  it('are counted by kind, and by address ignoring case', async () => {
    const { id, email } = await world.user()
    for (const kind of ['reset-password', 'verify-email'] as const) {
      for (const address of [email, email, email.toUpperCase(), email.toUpperCase()]) {
        await world.receive(
          world.order(kind === 'verify-email' ? { kind, user_id: id } : { kind, email: address }),
        )
      }
    }
    expect(world.mailsTo(email).map(({ subject }) => subject.split(' ')[0])).toEqual([
      ...Array(3).fill('A'),
      ...Array(3).fill('Confirm'),
    ])
  })

  it('are each counted once, however often they are retried', async () => {
    const { id, email } = await world.user()
    const throttled = { status: 429, type: 'TooManyRequestsException' }
    world.willAnswer(throttled, throttled, throttled)
    const first = world.order({ kind: 'verify-email', user_id: id })
    for (let n = 0; n < 3; n++) expect(await world.receive(first)).toBe(false)
    const messages = [1, 2, 3].map(() => world.order({ kind: 'verify-email', user_id: id }))
    for (const message of [...messages, first]) await world.receive(message)
    expect(world.mailsTo(email)).toHaveLength(3)
    expect(await world.statusOf(first)).toBe('sent')
  })

  it('are counted by mailbox: sub-addresses share its limit, but accounts stay separate', async () => {
    const { email } = await world.user()
    const [name, host] = email.split('@')
    const addresses = ['', '+1', '+2', '+a+b', '+4'].map(tag => `${name}${tag}@${host}`)
    const nowSeconds = Math.floor(world.clock.nowMs / 1000)
    for (const address of addresses) {
      const user = { name: 'Ada', email: address, email_verified: false, password_hash: null }
      if (address !== email) await createUser(world.table, user, nowSeconds)
      expect(await world.receive(world.order({ kind: 'reset-password', email: address }))).toBe(true)
    }
    expect(addresses.map(address => world.mailsTo(address).length)).toEqual([1, 1, 1, 0, 0])
  })

  it('leave no address in the table, only its HMAC', async () => {
    const { id, email } = await world.user()
    const message = world.order({ kind: 'verify-email', user_id: id })
    await world.receive(message)
    const bucket = limitKey('mail-verify-email', clientKey(email, KEY))
    const stored = await world.table.findMany([bucket, mailKey(message.id)])
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toContain('@')
  })
})

describe('all mails of a kind together', () => {
  const ceiling = (kind: string, hits: number) => {
    const window_end = world.clock.nowMs + 10 * MINUTE_MS
    return world.table.write({ Put: { Item: { ...limitKey(`mail-all-${kind}`, 'all'), hits, window_end } } })
  }

  it('are limited per hour: further ones are sent later, and each delay is logged', async () => {
    world.clock.nowMs = Date.parse('2026-03-01T12:00:00Z')
    // Later test files have an earlier clock and share the limiter's cache.
    onTestFinished(() => refund(world.table, { scope: 'mail-all-verify-email', client: 'all', max: 500 }, 0))
    const [first, second] = [await world.user(), await world.user()]
    await ceiling('verify-email', 499)
    await ceiling('confirm-newsletter', 1_000)
    const order = ({ id }: { id: number }) => world.order({ kind: 'verify-email', user_id: id })
    expect(await world.receive(order(first))).toBe(true)
    const late = order(second)
    expect(await world.receive(late)).toBe(false)
    expect(await world.statusOf(late)).toBeUndefined()
    expect(world.logged.join()).toContain(
      `"message":"mail","mail_id":"${late.id}","kind":"verify-email","status":"over_ceiling"`,
    )
    expect(world.tallies).toContainEqual({ MailsHeld: 1 })
    world.clock.nowMs += 10 * MINUTE_MS
    expect(await world.receive(late)).toBe(true)
    expect([world.mailsTo(first.email).length, world.mailsTo(second.email).length]).toEqual([1, 1])
  })
})

describe('a deployment without a sender', () => {
  it('ends a mail as `no_sender`', async () => {
    const silent = await openMailWorld({ MAIL_SENDER: '' })
    onTestFinished(() => silent.stop())
    const { id, email } = await silent.user()
    const message = silent.order({ kind: 'verify-email', user_id: id })
    expect(await silent.receive(message)).toBe(true)
    expect(await silent.statusOf(message)).toBe('no_sender')
    expect(silent.mailsTo(email)).toEqual([])
  })
})
