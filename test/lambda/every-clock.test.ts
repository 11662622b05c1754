// What depends on the clock, to the millisecond: limits, tokens and bans. That they hold for every endpoint:
// test/api/limits-everywhere.test.ts and test/api/sessions.test.ts.
import { expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withBan } from '../../shared/accounts/user.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { use } from '../support/use.ts'
import { limitHeadersOf, openLimits, repeat } from './limits-world.ts'

const limits = use(openLimits)

it('a limit admits the next request at the exact millisecond, with Retry-After until then', async () => {
  const { clock } = limits
  const startMs = clock.nowMs
  const reset = String(Math.ceil((startMs + 60_000) / 1000))
  await repeat(60, () => limits.read('198.51.100.1'))
  for (const [afterMs, seconds] of [
    [0, '60'],
    [1, '60'],
    [1_000, '59'],
    [59_000, '1'],
    [59_999, '1'],
  ] as const) {
    clock.nowMs = startMs + afterMs
    const refused = await limits.read('198.51.100.1')
    expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMITED'])
    expect(limitHeadersOf(refused)).toEqual(['60', '0', reset, seconds])
  }
  clock.nowMs = startMs + 60_000
  expect((await limits.read('198.51.100.1')).status).toBe(200)
})

it('a ban and the lifetime of a token end at the exact second', async () => {
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
