// The bucket of an IPv6 /48, which one customer may have: which addresses share it, and what it costs.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { wideClientKey } from '../../shared/limits/client-key.ts'
import { limitKey } from '../../shared/table/design.ts'
import { use } from '../world/use.ts'
import { limitHeadersOf, openLimits, repeat } from './limits-world.ts'

const limits = use(openLimits)

describe('the bucket of an IPv6 /48', () => {
  it('refuses the 601st request of all its /64s although each of them is below its own limit', async () => {
    const key = wideClientKey('2001:db8:7::', 'the key of client addresses') ?? ''
    const full = { hits: 598, window_end: limits.clock.nowMs + 30_000 }
    await limits.read('2001:db8:7:1::1')
    await limits.table.write({ Put: { Item: { ...limitKey('public-wide', key), ...full } } })
    const answers = []
    for (const group of [2, 3, 4, 5]) answers.push(await limits.read(`2001:db8:7:${group}::1`))
    expect(answers.map(answer => [answer.code, limitHeadersOf(answer).slice(0, 2)])).toEqual([
      [undefined, ['600', '1']],
      [undefined, ['600', '0']],
      ['RATE_LIMITED', ['600', '0']],
      ['RATE_LIMITED', ['600', '0']],
    ])
    expect((await limits.read('2001:db8:8::1')).status).toBe(200)
  })

  // Where the machine stands still for two seconds, a read goes on uncounted: then with another network.
  let networks = 0x6000
  it('does not count requests that the bucket of a /64 refuses', { retry: 2 }, async () => {
    const network = `2001:db8:${(networks++).toString(16)}`
    await repeat(700, () => limits.read(`${network}:1::1`))
    expect(limitHeadersOf(await limits.read(`${network}:2::1`)).slice(0, 2)).toEqual(['60', '59'])
    const Hits = z.object({ hits: z.int() })
    const key = wideClientKey(`${network}::`, 'the key of client addresses') ?? ''
    expect(await limits.table.find(limitKey('public-wide', key), Hits)).toEqual({ hits: 61 })
  })

  it('refuses without a call once it is known to be full', async () => {
    const key = wideClientKey('2001:db8:5::', 'the key of client addresses') ?? ''
    const full = { hits: 600, window_end: limits.clock.nowMs + 30_000 }
    await limits.table.write({ Put: { Item: { ...limitKey('public-wide', key), ...full } } })
    expect((await limits.read('2001:db8:5:1::1')).code).toBe('RATE_LIMITED')
    const { result, used } = await limits.measure(() => limits.read('2001:db8:5:2::1'))
    expect([result.code, used.calls]).toEqual(['RATE_LIMITED', 0])
  })

  it('costs a second write, for which reads do not wait', async () => {
    const ipv6 = (n: number) => limits.read(`2001:db8:9:${n}::1`)
    for (const call of [ipv6, (n: number) => limits.read(`203.0.113.${n}`)]) await call(1)
    const [four, six] = [
      await limits.measure(() => limits.read('203.0.113.1')),
      await limits.measure(() => ipv6(1)),
    ]
    expect([four.used.roundTrips, four.used.writeUnits]).toEqual([1, 1])
    expect([six.used.roundTrips, six.used.writeUnits]).toEqual([2, 2])
  })
})
