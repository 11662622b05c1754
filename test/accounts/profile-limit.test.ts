// Another name or picture is counted by user and hour, since every reader and copy follows it.
import { describe, expect, it } from 'vitest'
import { handler } from '../../functions/me.ts'
import { me } from '../../shared/accounts/contract.ts'
import { callOf, openChain } from '../support/chain.ts'
import { use } from '../support/use.ts'

const MOST = 10
const HOUR_SECONDS = 3_600

const chain = use(openChain)

/** A user who changes the profile. */
async function openUser() {
  const { token } = await chain.user(['user'])
  const call = callOf(handler)
  const change = (body: unknown) => call(me.changeMe, { token, body })
  const nameOf = async () => JSON.parse((await call(me.getMe, { token })).text).data.name
  return { change, nameOf }
}

describe('PATCH /api/v1/me', () => {
  it('returns 429 for the eleventh other name or picture in an hour, and 200 after it', async () => {
    const { change, nameOf } = await openUser()
    for (let n = 0; n < MOST; n++) {
      const body = n % 2 ? { name: `Name ${n}` } : { avatar: `https://a.example/${n}.png` }
      expect((await change(body)).status).toBe(200)
    }
    const refused = await change({ name: 'One more', bio: 'New' })
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    const { headers } = refused
    expect(Number(headers['Retry-After'])).toBe(HOUR_SECONDS)
    expect(Number(headers['X-RateLimit-Limit'])).toBeGreaterThan(0)
    expect(await nameOf()).toBe(`Name ${MOST - 1}`)
    chain.clock.nowMs += HOUR_SECONDS * 1_000
    expect((await change({ name: 'One more' })).status).toBe(200)
  })

  it('does not count a change of the biography alone, or a change that has no effect', async () => {
    const { change } = await openUser()
    for (let n = 0; n < MOST + 2; n++) {
      expect((await change({ bio: `Bio ${n}` })).status).toBe(200)
      expect((await change({ name: 'The same' })).status).toBe(200)
    }
  })
})
