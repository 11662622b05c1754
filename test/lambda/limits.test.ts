// The limiter in its chain, by a clock that is set: to the second when to come back, and who is whose neighbour.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { me } from '../../shared/accounts/contract.ts'
import { categories } from '../../shared/categories/contract.ts'
import { reply } from '../../shared/http/reply.ts'
import { clientKey, wideClientKey } from '../../shared/lambda/client-key.ts'
import { saveSettings } from '../../shared/site/store.ts'
import { limitKey } from '../../shared/table/design.ts'
import { type Chain, openChain, type Result } from '../world/chain.ts'

let chain: Chain
let read: (sourceIp: string, ask?: { method?: string; headers?: Record<string, string> }) => Promise<Result>
let readMine: (token: string | undefined, sourceIp?: string) => Promise<Result>
beforeAll(async () => {
  chain = await openChain()
  const { listCategories } = categories
  const call = chain.open(
    { listCategories, listTokens: me.listTokens },
    {
      listCategories: async () => {
        handled++
        return reply([])
      },
      listTokens: async () => {
        handled++
        return reply([])
      },
    },
  )
  read = (sourceIp, ask) => call(listCategories, { sourceIp, ...ask })
  readMine = (token, sourceIp = '198.51.100.200') =>
    call(me.listTokens, { sourceIp, ...(token !== undefined && { token }) })
})
afterAll(() => chain.stop())

let last = 0
let handled = 0
let address: string
beforeEach(() => {
  address = `198.51.100.${++last}`
})

const told = ({ headers }: Result) =>
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map(
    name => headers[name],
  )
const times = async <T>(count: number, run: () => Promise<T>): Promise<T[]> => {
  const results = []
  for (let n = 0; n < count; n++) results.push(await run())
  return results
}

describe('a bucket of 60', () => {
  it('says of each request what is left and when the minute is over, and of the 61st how long to wait', async () => {
    const start = chain.clock.nowMs
    const reset = String(Math.ceil((start + 60_000) / 1000))
    const answers = await times(60, () => read(address))
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
      chain.clock.nowMs = start + afterMs
      const refused = await read(address)
      expect([refused.code, ...told(refused)]).toEqual(['RATE_LIMITED', '60', '0', reset, seconds])
    }
    // Whoever waits as long as they were told is let in.
    chain.clock.nowMs = start + 60_000
    expect((await read(address)).status).toBe(200)
  })

  it('does not count whom it refuses', async () => {
    await times(60, () => read(address))
    const Hits = z.object({ hits: z.int() })
    const key = limitKey('public', clientKey(address, 'the key of client addresses'))
    await times(20, () => read(address))
    expect(await chain.table.find(key, Hits)).toEqual({ hits: 60 })
  })

  it('counts HEAD as GET', async () => {
    await read(address)
    expect(told(await read(address, { method: 'HEAD' }))[1]).toBe('58')
  })

  it('is that of the address, whatever headers say of others', async () => {
    await times(60, () => read(address))
    const headers = { 'X-Forwarded-For': '9.9.9.9', Forwarded: 'for=9.9.9.9', 'X-Real-IP': '9.9.9.9' }
    expect((await read(address, { headers })).code).toBe('RATE_LIMITED')
    expect((await read('203.0.113.1')).status).toBe(200)
  })

  it('is one for a household with IPv6', async () => {
    expect(told(await read('2001:db8:1:1::1'))[1]).toBe('59')
    expect(told(await read('2001:db8:1:1:ffff::9'))[1]).toBe('58')
    expect(told(await read('2001:db8:1:2::1'))[1]).toBe('59')
  })
})

describe('the wider bucket of a /48 of IPv6', () => {
  it('refuses the 601st request of its /64s together, though each is below its own limit', async () => {
    const key = wideClientKey('2001:db8:7::', 'the key of client addresses') ?? ''
    const full = { hits: 598, window_end: chain.clock.nowMs + 30_000 }
    await read('2001:db8:7:1::1')
    await chain.table.write({ Put: { Item: { ...limitKey('public-wide', key), ...full } } })
    const answers = []
    for (const group of [2, 3, 4, 5]) answers.push(await read(`2001:db8:7:${group}::1`))
    expect(answers.map(answer => [answer.code, told(answer).slice(0, 2)])).toEqual([
      [undefined, ['600', '1']],
      [undefined, ['600', '0']],
      ['RATE_LIMITED', ['600', '0']],
      ['RATE_LIMITED', ['600', '0']],
    ])
    expect((await read('2001:db8:8::1')).status).toBe(200)
  })

  it('does not count what the bucket of a /64 refuses, so that nobody locks out their neighbours', async () => {
    await times(700, () => read('2001:db8:6:1::1'))
    expect(told(await read('2001:db8:6:2::1')).slice(0, 2)).toEqual(['60', '59'])
    const Hits = z.object({ hits: z.int() })
    const key = wideClientKey('2001:db8:6::', 'the key of client addresses') ?? ''
    expect(await chain.table.find(limitKey('public-wide', key), Hits)).toEqual({ hits: 61 })
  })

  it('costs no call once it is known to be full', async () => {
    const key = wideClientKey('2001:db8:5::', 'the key of client addresses') ?? ''
    const full = { hits: 600, window_end: chain.clock.nowMs + 30_000 }
    await chain.table.write({ Put: { Item: { ...limitKey('public-wide', key), ...full } } })
    expect((await read('2001:db8:5:1::1')).code).toBe('RATE_LIMITED')
    const { result, used } = await chain.measure(() => read('2001:db8:5:2::1'))
    expect([result.code, used.calls]).toEqual(['RATE_LIMITED', 0])
  })

  it('costs a second write after the first, which reads do not wait for', async () => {
    const ipv6 = (n: number) => read(`2001:db8:9:${n}::1`)
    for (const call of [ipv6, (n: number) => read(`203.0.113.${n}`)]) await call(1)
    const [four, six] = [await chain.measure(() => read('203.0.113.1')), await chain.measure(() => ipv6(1))]
    expect([four.used.roundTrips, four.used.writeUnits]).toEqual([1, 1])
    expect([six.used.roundTrips, six.used.writeUnits]).toEqual([2, 2])
  })
})

describe('a client that is known to be over its limit', () => {
  /** The calls of the table that these requests make. */
  const callsOf = async (run: () => Promise<Result>, count: number) => {
    const { result, used } = await chain.measure(() => times(count, run))
    return { codes: [...new Set(result.map(({ code }) => code))], calls: used.calls }
  }

  it('costs no call from the 61st request of its minute to the 1,000th, and its handler never runs', async () => {
    await times(60, () => read(address))
    handled = 0
    const { codes, calls } = await callsOf(() => read(address), 940)
    expect([codes, calls, handled]).toEqual([['RATE_LIMITED'], 0, 0])
  })

  it('costs no call of an address without a token', async () => {
    await times(60, () => readMine(undefined, address))
    expect(await callsOf(() => readMine(undefined, address), 50)).toEqual({
      codes: ['RATE_LIMITED'],
      calls: 0,
    })
  })

  it('costs the one read of its token as a user, whose token may have been revoked meanwhile', async () => {
    const { token } = await chain.user(['user'])
    await times(120, () => readMine(token))
    handled = 0
    expect(await callsOf(() => readMine(token), 50)).toEqual({ codes: ['RATE_LIMITED'], calls: 50 })
    expect(handled).toBe(0)
  })

  it('is still told first what comes before the limit', async () => {
    const { token } = await chain.user(['admin'])
    expect(new Set((await times(121, () => readMine(token))).map(({ code }) => code))).toEqual(
      new Set(['FORBIDDEN']),
    )
    await times(60, () => read(address))
    await saveSettings(chain.table, { 'maintenance.enabled': true })
    chain.clock.nowMs += 6_000
    expect((await read(address)).code).toBe('MAINTENANCE_MODE')
    await saveSettings(chain.table, { 'maintenance.enabled': false })
  })
})

describe('the bucket of those without a valid token', () => {
  it('refuses the 61st of an address, whose users go on', async () => {
    const { token } = await chain.user(['user'])
    const answers = await times(60, () => readMine(undefined, address))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['UNAUTHENTICATED']))
    expect((await readMine('nonsense', address)).code).toBe('RATE_LIMITED')
    expect((await readMine(token, address)).status).toBe(200)
    expect((await read(address)).status).toBe(200)
  })
})

describe('the bucket of a user', () => {
  it('is one for all addresses, 120 a minute, and of that user alone', async () => {
    const [one, other] = [await chain.user(['user']), await chain.user(['user'])]
    for (let n = 0; n < 120; n++) expect((await readMine(one.token, `203.0.113.${n % 7}`)).status).toBe(200)
    expect((await readMine(one.token, address)).code).toBe('RATE_LIMITED')
    expect(told(await readMine(other.token))[1]).toBe('119')
  })

  it('is not used up by others who know the number of the user but not the token', async () => {
    const { token } = await chain.user(['user'])
    const forged = token.replace(/.{43}$/, 'A'.repeat(43))
    await times(40, () => readMine(forged, address))
    expect(told(await readMine(token))[1]).toBe('119')
  })
})
