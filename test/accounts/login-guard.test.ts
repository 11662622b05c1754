// Password guessing from many IP addresses: stopped after fifty failures an hour; the owner can still log in.
import { describe, expect, it } from 'vitest'
import { handler } from '../../functions/auth.ts'
import { auth } from '../../shared/accounts/contract.ts'
import { clientKey } from '../../shared/limits/limiter.ts'
import { limitKey } from '../../shared/table/design.ts'
import { callOf, type Result } from '../support/chain.ts'
import { hashing } from '../support/cheap-scrypt.ts'
import { use } from '../support/use.ts'
import { openAccounts } from './account-world.ts'

const call = callOf(handler)

const chain = use(openAccounts)

const PASSWORD = 'correct horse'
const MAX_WRONG = 50
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HOME = '192.0.2.77'

/** The address of a new account. */
async function account(): Promise<string> {
  return (await chain.account(PASSWORD)).email
}

let count = 0
/** A new IP address. */
function stranger() {
  return `10.${(++count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
}

function login(email: string, password: string, sourceIp = stranger()): Promise<Result> {
  return call(auth.login, { body: { email, password }, sourceIp })
}

async function guess(email: string, times: number): Promise<(string | undefined)[]> {
  const codes = []
  for (let n = 0; n < times; n++) codes.push((await login(email, `wrong ${n}`)).code)
  return codes
}

/** Uses up the limit of failures. */
function exhaust(email: string, hits = MAX_WRONG) {
  const key = limitKey('login-email', clientKey(email, chain.runtime.environment.CLIENT_KEY ?? ''))
  const Item = { ...key, hits, window_end: chain.clock.nowMs + HOUR_MS }
  return chain.table.write({ Put: { Item } })
}

describe('POST /api/v1/auth/login', () => {
  it('returns 429 for the 51st wrong password of an hour, before it hashes anything', async () => {
    const email = await account()
    expect(await guess(email, MAX_WRONG)).toEqual(Array(MAX_WRONG).fill('INVALID_CREDENTIALS'))
    chain.clock.nowMs += 60_000
    hashing.count = 0
    const rejected = await login(email.toUpperCase(), PASSWORD)
    expect([rejected.status, rejected.code, rejected.headers['Retry-After']]).toEqual([
      429,
      'RATE_LIMITED',
      '3540',
    ])
    expect(hashing.count).toBe(0)
    expect((await login(await account(), PASSWORD)).status).toBe(200)
    chain.clock.nowMs += HOUR_MS
    expect((await login(email, PASSWORD)).status).toBe(200)
  })

  it('lets through only IP addresses that logged in to the account within 30 days, once the limit is reached', async () => {
    const email = await account()
    expect((await login(email, PASSWORD, HOME)).status).toBe(200)
    chain.clock.nowMs += 30 * DAY_MS - HOUR_MS
    await exhaust(email)
    expect((await login(email, PASSWORD)).code).toBe('RATE_LIMITED')
    expect((await login(email, 'wrong', HOME)).code).toBe('INVALID_CREDENTIALS')
    expect((await login(email, PASSWORD, HOME)).status).toBe(200)

    const other = await account()
    await login(other, PASSWORD, HOME)
    chain.clock.nowMs += 30 * DAY_MS + 1_000
    await exhaust(other)
    expect((await login(other, PASSWORD, HOME)).code).toBe('RATE_LIMITED')
  })

  it('lets through the IP address of the registration once the limit is reached', async () => {
    const email = 'newcomer@example.com'
    const body = { name: 'Newcomer', email, password: PASSWORD }
    expect((await call(auth.register, { body, sourceIp: HOME })).status).toBe(201)
    await exhaust(email)
    expect((await login(email, PASSWORD, HOME)).status).toBe(200)
  })

  it('lets through the IP address of a password reset once the limit is reached', async () => {
    const { id, email } = await chain.account(PASSWORD)
    const token = await chain.resetToken(id)
    await exhaust(email)
    const body = { token, password: 'another horse' }
    expect((await call(auth.resetPassword, { body, sourceIp: HOME })).status).toBe(200)
    expect((await login(email, 'another horse', HOME)).status).toBe(200)
    expect((await login(email, 'another horse')).code).toBe('RATE_LIMITED')
  })

  it('does not count correct passwords', async () => {
    const email = await account()
    await exhaust(email, MAX_WRONG - 1)
    for (let n = 0; n < 5; n++) expect((await login(email, PASSWORD)).status).toBe(200)
    expect(await guess(email, 2)).toEqual(['INVALID_CREDENTIALS', 'RATE_LIMITED'])
  })

  it('answers the same for an unknown e-mail address, with the same calls to the table', async () => {
    const [known, unknown] = [await account(), 'nobody@example.com']
    for (const email of [known, unknown]) {
      await exhaust(email)
      expect(await guess(email, 1)).toEqual(['RATE_LIMITED'])
    }
    const costOf = async (email: string) => {
      const { result, used } = await chain.measure(() => login(email, PASSWORD))
      return { used, status: result.status, text: result.text, after: result.headers['Retry-After'] }
    }
    const rejected = await costOf(known)
    expect(rejected.status).toBe(429)
    expect(await costOf(unknown)).toEqual(rejected)
  })

  it('stores neither the e-mail address nor the IP address of an attempt', async () => {
    await guess('secret-admirer@example.com', 1)
    await login(await account(), PASSWORD, '203.0.113.99')
    const stored = JSON.stringify((await chain.dump()).filter(({ pk }) => pk.startsWith('LIMIT#login')))
    expect(stored).toContain('LIMIT#login-email#')
    expect(stored).toContain('LIMIT#login-address#')
    for (const secret of ['secret-admirer', '203.0.113.99']) expect(stored).not.toContain(secret)
  })
})
