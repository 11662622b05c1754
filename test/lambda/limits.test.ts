// The chain with a set clock: which requests the limiter refuses, at what cost, and when bans and tokens end.
// That they hold for every endpoint: test/api/limits-everywhere.test.ts and test/api/sessions.test.ts.
import { beforeEach, describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withBan } from '../../shared/accounts/user.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import type { Result } from '../support/chain.ts'
import { use } from '../support/use.ts'
import { limitHeadersOf, openLimits, repeat } from './limits-world.ts'

const limits = use(openLimits)

let last = 0
let address: string
beforeEach(() => {
  address = `198.51.100.${++last}`
})

describe('the public bucket of an address', () => {
  it('ignores addresses in headers', async () => {
    await repeat(60, () => limits.read(address))
    const headers = { 'X-Forwarded-For': '9.9.9.9', Forwarded: 'for=9.9.9.9', 'X-Real-IP': '9.9.9.9' }
    expect((await limits.read(address, headers)).code).toBe('RATE_LIMITED')
    expect((await limits.read('203.0.113.1')).status).toBe(200)
  })
})

describe('a client that is known to be over its limit', () => {
  /** The calls to the table that the requests make. */
  const callsOf = async (run: () => Promise<Result>, count: number) => {
    const { result, used } = await limits.measure(() => repeat(count, run))
    return { codes: [...new Set(result.map(({ code }) => code))], calls: used.calls }
  }

  it('costs no call and runs no handler from the 61st to the 1,000th request of a minute', async () => {
    await repeat(60, () => limits.read(address))
    limits.forget()
    const { codes, calls } = await callsOf(() => limits.read(address), 940)
    expect([codes, calls, limits.handled()]).toEqual([['RATE_LIMITED'], 0, 0])
  })

  it('costs one read of the token, which may have been revoked', async () => {
    const { token } = await limits.user(['user'])
    await repeat(120, () => limits.readMine(token))
    limits.forget()
    expect(await callsOf(() => limits.readMine(token), 50)).toEqual({ codes: ['RATE_LIMITED'], calls: 50 })
    expect(limits.handled()).toBe(0)
  })

  it('still gets the faults that take precedence over 429', async () => {
    const { token } = await limits.user(['admin'])
    expect(new Set((await repeat(121, () => limits.readMine(token))).map(({ code }) => code))).toEqual(
      new Set(['FORBIDDEN']),
    )
    await repeat(60, () => limits.read(address))
    await saveSettings(limits.table, { 'maintenance.enabled': true })
    limits.clock.nowMs += 6_000
    expect((await limits.read(address)).code).toBe('MAINTENANCE_MODE')
    await saveSettings(limits.table, { 'maintenance.enabled': false })
  })
})

describe('the bucket of a user', () => {
  it('allows 120 requests a minute of one user, with all tokens and from all addresses', async () => {
    const [one, other] = [await limits.user(['user']), await limits.user(['user'])]
    const second = await limits.newTokenOf(one.id, ['user'])
    for (let n = 0; n < 120; n++) {
      const token = n % 2 ? one.token : second
      expect((await limits.readMine(token, `203.0.113.${n % 7}`)).status).toBe(200)
    }
    expect((await limits.readMine(one.token, address)).code).toBe('RATE_LIMITED')
    expect(limitHeadersOf(await limits.readMine(other.token))[1]).toBe('119')
  })
})

describe('a ban and the lifetime of a token', () => {
  it('end at the exact second', async () => {
    const { clock, table } = limits
    await saveSettings(table, { 'auth.token_lifetime_minutes': 1 })
    // Functions remember settings for seconds.
    clock.nowMs += 60_000
    const { id, token } = await limits.user(['user'])
    const startSeconds = Math.floor(clock.nowMs / 1000)
    const until = startSeconds + 30
    await changeUser(table, id, user => withBan(user, { reason: null, until }))
    const codeAt = async (ms: number) => {
      clock.nowMs = ms
      return (await limits.readMine(token)).code
    }
    expect(await codeAt(until * 1000 - 1)).toBe('ACCOUNT_BANNED')
    expect(await codeAt(until * 1000)).toBeUndefined()
    const end = (startSeconds + 60) * 1000
    expect([await codeAt(end - 1), await codeAt(end)]).toEqual([undefined, 'UNAUTHENTICATED'])
  })
})
