// The allowance of builds: public reads with a token that has `builds:read` are counted per token.
import { beforeEach, describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { BUILDS_LIMIT } from '../../shared/http/audience.ts'
import { limitKey, tokenKey } from '../../shared/table/design.ts'
import { use } from '../support/use.ts'
import { limitHeadersOf, openLimits, repeat } from './limits-world.ts'

const limits = use(openLimits)
const PER_MINUTE = 1_200

let last = 0
let address: string
let user: { id: number; token: string; admin: string }
beforeEach(async () => {
  address = `198.51.100.${++last}`
  // The token of a user who has another one with `admin`.
  const { id, token: admin } = await limits.user(['admin'])
  user = { id, admin, token: await limits.newTokenOf(id, ['builds:read']) }
  limits.forget()
})

function idOf(token: string): number {
  return Number(token.split('_')[2])
}

function read(token?: string, from = address) {
  return limits.read(from, token === undefined ? {} : { Authorization: `Bearer ${token}` })
}

async function limitAndRest(token?: string, from = address) {
  return limitHeadersOf(await read(token, from)).slice(0, 2)
}

/** Counts requests of the token in advance. */
async function countBefore(hits: number) {
  const window_end = limits.clock.nowMs + 60_000
  const key = limitKey(BUILDS_LIMIT.scope, String(idOf(user.token)))
  await limits.plain.write({ Put: { Item: { ...key, hits, window_end } } })
}

describe('a public read with a token that has `builds:read`', () => {
  it('is counted per token, whatever the address, and not per address', async () => {
    expect(await limitAndRest(user.token)).toEqual(['1200', '1199'])
    expect(await limitAndRest(user.token, '203.0.113.77')).toEqual(['1200', '1198'])
    expect(await limitAndRest()).toEqual(['60', '59'])
    const other = await limits.user(['user', 'builds:read', 'admin'])
    expect(await limitAndRest(other.token)).toEqual(['1200', '1199'])
  })

  it('costs one call more than a read without one, once its function has found the owner to be an admin', async () => {
    // On a busy machine a call may be repeated, or the first use of the token noted a moment later.
    const least = async (token?: string) => {
      const used = await repeat(4, async () => (await limits.measure(() => limitAndRest(token))).used)
      return used.toSorted((a, b) => a.calls - b.calls)[0]
    }
    const without = await least()
    const withToken = await least(user.token)
    expect(withToken?.calls).toBe((without?.calls ?? 0) + 1)
    expect(withToken?.readUnits).toBe((without?.readUnits ?? 0) + 3)
  })

  it('passes where the address has no requests left, and more than 60 times', async () => {
    await repeat(61, () => limitAndRest())
    expect((await read()).code).toBe('RATE_LIMITED')
    const answers = await repeat(70, () => limitAndRest(user.token))
    expect(answers.at(-1)).toEqual(['1200', '1130'])
  })

  it('is refused after 1,200 in a minute, from then on without its handler, and passes a minute later', async () => {
    await countBefore(PER_MINUTE - 1)
    expect(await limitAndRest(user.token)).toEqual(['1200', '0'])
    limits.forget()
    const { result: refused, used } = await limits.measure(() => read(user.token))
    // One read of the token, which may have been revoked.
    expect(used.calls).toBe(1)
    expect([refused.status, ...limitHeadersOf(refused).slice(0, 2)]).toEqual([429, '1200', '0'])
    expect(refused.headers['Retry-After']).toBe('60')
    expect(limits.handled()).toBe(0)
    expect(await limitAndRest()).toEqual(['60', '59'])
    limits.clock.nowMs += 60_001
    expect(await limitAndRest(user.token)).toEqual(['1200', '1199'])
  })
})

describe('a public read is counted per address', () => {
  it('with a token of other abilities, at the cost of a read without one', async () => {
    const { token } = await limits.user(['user', 'admin', 'comments:write'])
    await limitAndRest()
    const without = await limits.measure(() => limitAndRest())
    const withOne = await limits.measure(() => limitAndRest(token))
    expect(withOne.result).toEqual(['60', '57'])
    expect(withOne.used.calls).toBe(without.used.calls)
  })

  const changes: [what: string, change: () => Promise<unknown>][] = [
    ['that was revoked', () => limits.plain.removeMany([tokenKey(user.id, idOf(user.token))])],
    [
      'whose owner is no admin any more',
      () => limits.plain.removeMany([tokenKey(user.id, idOf(user.admin))]),
    ],
    [
      'of a banned user',
      () =>
        changeUser(limits.plain, user.id, found => ({
          ...found,
          ban: { reason: null, until: null, since: Math.floor(limits.clock.nowMs / 1000) },
        })),
    ],
  ]
  it.each(changes)('with a token %s', async (_, change) => {
    expect((await limitAndRest(user.token))[0]).toBe('1200')
    await change()
    expect(await limitAndRest(user.token)).toEqual(['60', '59'])
  })

  it('until the owner has a token with `admin` again', async () => {
    await limits.plain.removeMany([tokenKey(user.id, idOf(user.admin))])
    await limits.newTokenOf(user.id, ['user'])
    expect((await limitAndRest(user.token))[0]).toBe('60')
    await limits.newTokenOf(user.id, ['admin'])
    expect((await limitAndRest(user.token))[0]).toBe('1200')
  })

  it('with wrong tokens from an address without requests left, of which one a minute costs a call', async () => {
    await repeat(60, () => limitAndRest())
    limits.forget()
    const calls: number[] = []
    const refused = async (token: string) => {
      const { result, used } = await limits.measure(() => read(token))
      expect(result.code).toBe('RATE_LIMITED')
      calls.push(used.calls)
    }
    const secret = user.token.slice(-43, -3)
    for (let n = 0; n < 20; n++) {
      await refused(`${user.token.slice(0, -3)}${n < 10 ? 'x' : 'y'}xB`)
      await refused(`hcb_${n + 1}_${n + 1}_${secret}xxB`)
    }
    expect(calls).toEqual([1, ...Array(39).fill(0)])
    expect(limits.handled()).toBe(0)
  })

  it('with wrong tokens, while a right one that was used before costs its address nothing', async () => {
    await limitAndRest(user.token)
    await repeat(60, () => limitAndRest())
    const wrong = `${user.token.slice(0, -3)}xxB`
    for (let n = 0; n < 3; n++) {
      expect((await limitAndRest(wrong))[0]).toBe('60')
      expect((await limitAndRest(user.token))[0]).toBe('1200')
    }
  })
})
