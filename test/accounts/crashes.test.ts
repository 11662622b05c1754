// Registrations and password resets that crash at a call to the table: they happen completely or not at all.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { handler } from '../../functions/auth.ts'
import { auth } from '../../shared/accounts/contract.ts'
import { findPasswordHash, findUserIdByEmail, getUser, listUsers } from '../../shared/accounts/store/users.ts'
import { callOf, type Result } from '../support/chain.ts'
import { use } from '../support/use.ts'
import { openAccounts } from './account-world.ts'

const call = callOf(handler)

const chain = use(openAccounts)

const MINUTE_MS = 60_000
const PASSWORD = 'correct horse'

/** Crashes a request at its call number `skips` + 1. Returns undefined if it makes fewer calls. */
async function brokenAt(
  at: 'before' | 'after',
  skips: number,
  run: () => Promise<Result>,
): Promise<Result | undefined> {
  // These tests are not about limits.
  chain.clock.nowMs += MINUTE_MS
  const fault = chain.fail({ at, error: 'AccessDeniedException', times: 1, skips })
  const result = await run()
  chain.repair()
  return fault.isWaiting() ? undefined : result
}

const MessageIdentity = z.object({
  body: z.union([z.object({ id: z.string() }), z.object({ first_valid: z.int() })]),
})

/** Messages that were sent or still wait in the outbox, each once. */
async function messages(): Promise<number> {
  const rows = (await chain.dump())
    .filter(({ pk }) => pk.startsWith('OUTBOX#'))
    .map(({ body }) => ({ body: JSON.parse(String(body)) }))
  return new Set([...chain.sent, ...rows].map(row => JSON.stringify(MessageIdentity.parse(row)))).size
}

/** Counts the items of an account. */
async function parts() {
  const dump = await chain.dump()
  const count = (start: string, end = '') =>
    dump.filter(({ pk, sk }) => pk.startsWith(start) && sk.startsWith(end)).length
  return {
    records: count('USER#', 'USER'),
    tokens: count('USER#', 'TOKEN#'),
    profiles: count('AUTHOR#'),
    passwords: count('PASSWORD#'),
    addresses: count('EMAIL#'),
    listed: (await listUsers(chain.table, 1, 1)).total,
    events: (await messages()) / 2,
  }
}

describe('a registration that crashes', () => {
  it.each(['before', 'after'] as const)(
    'leaves a complete account or none when it crashes %s any call',
    async at => {
      let calls = 0
      for (; ; calls++) {
        const body = { name: 'Ada', email: `${at}${calls}@example.com`, password: PASSWORD }
        const before = await parts()
        const result = await brokenAt(at, calls, () => call(auth.register, { body }))
        if (!result) break
        const isThere = (await findUserIdByEmail(chain.table, body.email)) !== undefined
        const more = isThere ? 1 : 0
        expect([calls, await parts()]).toEqual([
          calls,
          Object.fromEntries(Object.entries(before).map(([name, count]) => [name, count + more])),
        ])
        if (result.status === 201) expect(isThere).toBe(true)

        // A second attempt succeeds, or reports that the address is taken.
        chain.clock.nowMs += MINUTE_MS
        expect((await call(auth.register, { body })).status).toBe(isThere ? 422 : 201)
        const login = { email: body.email, password: PASSWORD }
        expect((await call(auth.login, { body: login })).status).toBe(200)
      }
      expect(calls).toBeGreaterThanOrEqual(8)
    },
  )
})

describe('a password reset that crashes', () => {
  it.each(['before', 'after'] as const)(
    'resets the password completely or not at all when it crashes %s any call',
    async at => {
      const { id, token } = await chain.user(['user'])
      let calls = 0
      for (; ; calls++) {
        const user = await getUser(chain.table, id)
        const body = { token: await chain.resetToken(id), password: `${PASSWORD} ${calls}` }
        const [hash, ordered] = [await findPasswordHash(chain.table, id), await messages()]
        const result = await brokenAt(at, calls, () => call(auth.resetPassword, { body }))
        if (!result) break
        const isDone = (await findPasswordHash(chain.table, id)) !== hash
        const after = await getUser(chain.table, id)
        expect([calls, after.first_valid_token > user.first_valid_token]).toEqual([calls, isDone])
        expect(await messages()).toBe(ordered + (isDone ? 1 : 0))

        chain.clock.nowMs += MINUTE_MS
        expect((await call(auth.resetPassword, { body })).status).toBe(isDone ? 422 : 200)
      }
      expect(calls).toBeGreaterThan(6)
      expect((await call(auth.logout, { token })).status).toBe(401)
    },
  )
})
