// The limiter in its chain, by a clock that is set: to the second when to come back, and who is refused at what cost.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clientKey } from '../../shared/limits/client-key.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { limitKey } from '../../shared/table/design.ts'
import type { Result } from '../world/chain.ts'
import { type Limits, openLimits, times, told } from './limits-world.ts'

let limits: Limits
beforeAll(async () => {
  limits = await openLimits()
})
afterAll(() => limits.stop())

let last = 0
let address: string
beforeEach(() => {
  address = `198.51.100.${++last}`
})

describe('a bucket of 60', () => {
  it('says of each request what is left and when the minute is over, and of the 61st how long to wait', async () => {
    const start = limits.clock.nowMs
    const reset = String(Math.ceil((start + 60_000) / 1000))
    const answers = await times(60, () => limits.read(address))
    expect(answers.map(told)).toEqual(
      Array.from({ length: 60 }, (_, n) => ['60', String(59 - n), reset, undefined]),
    )
    for (const [afterMs, seconds] of [
      [0, '60'],
      [1, '60'],
      [1_000, '59'],
      [59_000, '1'],
      [59_999, '1'],
    ] as const) {
      limits.clock.nowMs = start + afterMs
      const refused = await limits.read(address)
      expect([refused.code, ...told(refused)]).toEqual(['RATE_LIMITED', '60', '0', reset, seconds])
    }
    // Whoever waits as long as they were told is let in.
    limits.clock.nowMs = start + 60_000
    expect((await limits.read(address)).status).toBe(200)
  })

  it('does not count whom it refuses', async () => {
    await times(60, () => limits.read(address))
    const Hits = z.object({ hits: z.int() })
    const key = limitKey('public', clientKey(address, 'the key of client addresses'))
    await times(20, () => limits.read(address))
    expect(await limits.table.find(key, Hits)).toEqual({ hits: 60 })
  })

  it('counts HEAD as GET', async () => {
    await limits.read(address)
    expect(told(await limits.read(address, { method: 'HEAD' }))[1]).toBe('58')
  })

  it('is that of the address, whatever headers say of others', async () => {
    await times(60, () => limits.read(address))
    const headers = { 'X-Forwarded-For': '9.9.9.9', Forwarded: 'for=9.9.9.9', 'X-Real-IP': '9.9.9.9' }
    expect((await limits.read(address, { headers })).code).toBe('RATE_LIMITED')
    expect((await limits.read('203.0.113.1')).status).toBe(200)
  })

  it('is one for a household with IPv6', async () => {
    expect(told(await limits.read('2001:db8:1:1::1'))[1]).toBe('59')
    expect(told(await limits.read('2001:db8:1:1:ffff::9'))[1]).toBe('58')
    expect(told(await limits.read('2001:db8:1:2::1'))[1]).toBe('59')
  })
})

describe('a client that is known to be over its limit', () => {
  /** The calls of the table that these requests make. */
  const callsOf = async (run: () => Promise<Result>, count: number) => {
    const { result, used } = await limits.measure(() => times(count, run))
    return { codes: [...new Set(result.map(({ code }) => code))], calls: used.calls }
  }

  it('costs no call from the 61st request of its minute to the 1,000th, and its handler never runs', async () => {
    await times(60, () => limits.read(address))
    limits.forget()
    const { codes, calls } = await callsOf(() => limits.read(address), 940)
    expect([codes, calls, limits.handled()]).toEqual([['RATE_LIMITED'], 0, 0])
  })

  it('costs no call of an address without a token', async () => {
    await times(60, () => limits.readMine(undefined, address))
    expect(await callsOf(() => limits.readMine(undefined, address), 50)).toEqual({
      codes: ['RATE_LIMITED'],
      calls: 0,
    })
  })

  it('costs the one read of its token as a user, whose token may have been revoked meanwhile', async () => {
    const { token } = await limits.user(['user'])
    await times(120, () => limits.readMine(token))
    limits.forget()
    expect(await callsOf(() => limits.readMine(token), 50)).toEqual({ codes: ['RATE_LIMITED'], calls: 50 })
    expect(limits.handled()).toBe(0)
  })

  it('is still told first what comes before the limit', async () => {
    const { token } = await limits.user(['admin'])
    expect(new Set((await times(121, () => limits.readMine(token))).map(({ code }) => code))).toEqual(
      new Set(['FORBIDDEN']),
    )
    await times(60, () => limits.read(address))
    await saveSettings(limits.table, { 'maintenance.enabled': true })
    limits.clock.nowMs += 6_000
    expect((await limits.read(address)).code).toBe('MAINTENANCE_MODE')
    await saveSettings(limits.table, { 'maintenance.enabled': false })
  })
})

describe('the bucket of those without a valid token', () => {
  it('refuses the 61st of an address, whose users go on', async () => {
    const { token } = await limits.user(['user'])
    const answers = await times(60, () => limits.readMine(undefined, address))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['UNAUTHENTICATED']))
    expect((await limits.readMine('nonsense', address)).code).toBe('RATE_LIMITED')
    expect((await limits.readMine(token, address)).status).toBe(200)
    expect((await limits.read(address)).status).toBe(200)
  })
})

describe('the bucket of a user', () => {
  it('is one for all addresses, 120 a minute, and of that user alone', async () => {
    const [one, other] = [await limits.user(['user']), await limits.user(['user'])]
    for (let n = 0; n < 120; n++) {
      expect((await limits.readMine(one.token, `203.0.113.${n % 7}`)).status).toBe(200)
    }
    expect((await limits.readMine(one.token, address)).code).toBe('RATE_LIMITED')
    expect(told(await limits.readMine(other.token))[1]).toBe('119')
  })

  it('is not used up by others who know the number of the user but not the token', async () => {
    const { token } = await limits.user(['user'])
    const forged = token.replace(/.{43}$/, 'A'.repeat(43))
    await times(40, () => limits.readMine(forged, address))
    expect(told(await limits.readMine(token))[1]).toBe('119')
  })
})
