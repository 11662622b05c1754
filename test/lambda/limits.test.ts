// The limiter in the chain, with a set clock: which requests are refused, until when, and at what cost.
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { clientKey } from '../../shared/limits/limiter.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { limitKey } from '../../shared/table/design.ts'
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
  it('does not count refused requests', async () => {
    await repeat(60, () => limits.read(address))
    const Hits = z.object({ hits: z.int() })
    const key = limitKey('public', clientKey(address, 'the key of client addresses'))
    await repeat(20, () => limits.read(address))
    expect(await limits.table.find(key, Hits)).toEqual({ hits: 60 })
  })

  it('ignores addresses in headers', async () => {
    await repeat(60, () => limits.read(address))
    const headers = { 'X-Forwarded-For': '9.9.9.9', Forwarded: 'for=9.9.9.9', 'X-Real-IP': '9.9.9.9' }
    expect((await limits.read(address, { headers })).code).toBe('RATE_LIMITED')
    expect((await limits.read('203.0.113.1')).status).toBe(200)
  })

  it('is shared by an IPv6 /64', async () => {
    expect(limitHeadersOf(await limits.read('2001:db8:1:1::1'))[1]).toBe('59')
    expect(limitHeadersOf(await limits.read('2001:db8:1:1:ffff::9'))[1]).toBe('58')
    expect(limitHeadersOf(await limits.read('2001:db8:1:2::1'))[1]).toBe('59')
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

  it('costs no call without a token', async () => {
    await repeat(60, () => limits.readMine(undefined, address))
    expect(await callsOf(() => limits.readMine(undefined, address), 50)).toEqual({
      codes: ['RATE_LIMITED'],
      calls: 0,
    })
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

describe('the bucket of requests without a valid token', () => {
  it('refuses the 61st request of an address, but no request of its users', async () => {
    const { token } = await limits.user(['user'])
    const answers = await repeat(60, () => limits.readMine(undefined, address))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['UNAUTHENTICATED']))
    expect((await limits.readMine('nonsense', address)).code).toBe('RATE_LIMITED')
    expect((await limits.readMine(token, address)).status).toBe(200)
    expect((await limits.read(address)).status).toBe(200)
  })
})

describe('the bucket of a user', () => {
  it('allows 120 requests a minute of one user, with all tokens and from all addresses', async () => {
    const [one, other] = [await limits.user(['user']), await limits.user(['user'])]
    const draft = { user_id: one.id, name: 'second', abilities: ['user' as const] }
    const second = await newToken(limits.plain, draft, Math.floor(limits.clock.nowMs / 1000))
    await limits.plain.transact([second.action])
    for (let n = 0; n < 120; n++) {
      const token = n % 2 ? one.token : second.text
      expect((await limits.readMine(token, `203.0.113.${n % 7}`)).status).toBe(200)
    }
    expect((await limits.readMine(one.token, address)).code).toBe('RATE_LIMITED')
    expect(limitHeadersOf(await limits.readMine(other.token))[1]).toBe('119')
  })

  it('does not count requests with a forged token', async () => {
    const { token } = await limits.user(['user'])
    const forged = token.replace(/.{43}$/, 'A'.repeat(43))
    await repeat(40, () => limits.readMine(forged, address))
    expect(limitHeadersOf(await limits.readMine(token))[1]).toBe('119')
  })
})
