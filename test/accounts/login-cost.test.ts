// Requests about an address cost the same reads and hashing, whether or not it has an account.
import { describe, expect, it } from 'vitest'
import { handler as login } from '../../functions/auth.ts'
import { handler as subscribe } from '../../functions/community.ts'
import { handler as ownPages } from '../../functions/me.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth } from '../../shared/accounts/contract.ts'
import { newsletter, ownNewsletter } from '../../shared/newsletter/contract.ts'
import { callOf } from '../support/chain.ts'
import { hashing } from '../support/cheap-scrypt.ts'
import { use } from '../support/use.ts'
import { openAccounts } from './account-world.ts'

const call = callOf(login)
const callNewsletter = callOf(subscribe)
const callMe = callOf(ownPages)

const chain = use(openAccounts)

const PASSWORD = 'correct horse'
const MINUTE_MS = 60_000
/** The cost of 2^17, 8, 1: OWASP's first choice for scrypt. */
const TODAY = 2 ** 17 * 8

/** Returns the answer of a login and its cost. These tests are not about limits. */
async function costOf(email: string, password: string) {
  chain.clock.nowMs += MINUTE_MS
  hashing.cost = 0
  const { result, used } = await chain.measure(() => call(auth.login, { body: { email, password } }))
  return { code: result.code, cost: { ...used, hashing: hashing.cost } }
}

describe('POST /api/v1/auth/login', () => {
  it('costs the same for an unknown address, a wrong password, an account without one, and a banned user', async () => {
    const [user, banned, alsoBanned, withoutOne] = [
      await chain.account(PASSWORD),
      await chain.account(PASSWORD),
      await chain.account(PASSWORD),
      await chain.account(null),
    ]
    const ban = { reason: null, until: null }
    for (const { id } of [banned, alsoBanned]) await changeUser(chain.table, id, user => ({ ...user, ban }))
    // The first request reads the settings.
    await costOf('first@example.com', PASSWORD)

    const answers = [
      await costOf('nobody@example.com', PASSWORD),
      await costOf(user.email, 'wrong'),
      await costOf(withoutOne.email, PASSWORD),
      await costOf(banned.email, 'wrong'),
      // With an address of its own, since the first failure of an hour starts a window.
      await costOf(alsoBanned.email, PASSWORD),
    ]
    const wrong = Array.from({ length: 4 }, () => 'INVALID_CREDENTIALS')
    expect(answers.map(({ code }) => code)).toEqual([...wrong, 'ACCOUNT_BANNED'])
    const [first, ...others] = answers.map(({ cost }) => cost)
    expect(first?.hashing).toBe(TODAY)
    for (const cost of others) expect(cost).toEqual(first)
  })
})

describe('POST /api/v1/auth/forgot-password', () => {
  it('costs the same with and without an account, and orders a mail for both', async () => {
    const user = await chain.account(PASSWORD)
    const forget = async (email: string) => {
      chain.clock.nowMs += MINUTE_MS
      const { result, used } = await chain.measure(() => call(auth.forgotPassword, { body: { email } }))
      return { text: result.text, used, sent: chain.sent.at(-1)?.body }
    }
    const [known, unknown] = [await forget(user.email), await forget('nobody@example.com')]
    expect([known.text, known.used]).toEqual([unknown.text, unknown.used])
    const ordered = { kind: 'reset-password', id: expect.any(String) }
    expect(known.sent).toEqual({ ...ordered, email: user.email })
    expect(unknown.sent).toEqual({ ...ordered, email: 'nobody@example.com' })
  })
})

describe('POST /api/v1/newsletter/subscribe', () => {
  it('makes as many calls for a subscribed address as for a new one, and orders a mail for both', async () => {
    const subscribe = async (email: string) => {
      chain.clock.nowMs += MINUTE_MS
      const ask = () => callNewsletter(newsletter.subscribe, { body: { email } })
      const { result, used } = await chain.measure(ask)
      return { status: result.status, roundTrips: used.roundTrips, sent: chain.sent.splice(0) }
    }
    const { email, token } = await chain.user(['newsletter:manage'])
    expect((await callMe(ownNewsletter.subscribeMe, { token })).text).toContain('"subscribed"')
    // The first entry of a list finds no list.
    await subscribe('first@example.com')
    const [known, unknown] = [await subscribe(email), await subscribe('nobody@example.com')]
    expect([known.status, known.roundTrips]).toEqual([unknown.status, unknown.roundTrips])
    for (const { sent } of [known, unknown]) {
      expect(sent.map(({ body }) => body)).toMatchObject([
        { kind: 'confirm-newsletter', id: expect.any(String), subscriber_id: expect.any(Number) },
      ])
    }
  })
})
