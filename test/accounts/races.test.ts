// Password resets while tokens are created: no token of the old password or of an old token survives.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handler as authFunction } from '../../functions/auth.ts'
import { handler as meFunction } from '../../functions/me.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { newVerifyToken } from '../../shared/accounts/mails.ts'
import { getUser } from '../../shared/accounts/store/users.ts'
import { userKey } from '../../shared/table/design.ts'
import { callOf, type Result } from '../support/chain.ts'
import { use } from '../support/use.ts'
import { openAccounts } from './account-world.ts'

const callAuth = callOf(authFunction)
const callMe = callOf(meFunction)

const [OLD, NEW] = ['the old password', 'the new password']
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const chain = use(openAccounts)
afterEach(() => chain.repair())

let user: { id: number; token: string; email: string }
beforeEach(async () => {
  // These tests are not about limits.
  chain.clock.nowMs += MINUTE_MS
  user = await chain.account(OLD)
})

function login(password: string) {
  return callAuth(auth.login, { body: { email: user.email, password } })
}

function link() {
  return chain.resetToken(user.id)
}

function reset(token: string) {
  return callAuth(auth.resetPassword, { body: { token, password: NEW } })
}

function createToken(token: string) {
  return callMe(me.createToken, { token, body: { name: 'n', abilities: ['user'] } })
}

function tokenOf({ text }: Result): string {
  return JSON.parse(text).data.token
}

async function statusWith(token: string) {
  return (await callMe(me.getMe, { token })).status
}

async function listed(token: string): Promise<{ id: number }[]> {
  return JSON.parse((await callMe(me.listTokens, { token })).text).data
}

describe('a login with the old password', () => {
  it('fails when the reset commits before its token', async () => {
    const commit = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'user.logged-in' })
    const late = login(OLD)
    await commit.reached
    expect((await reset(await link())).status).toBe(200)
    commit.release()
    expect((await late).code).toBe('INVALID_CREDENTIALS')
  })

  it('gets a token, which the reset revokes, when the login commits first', async () => {
    const commit = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'first_valid' })
    const late = reset(await link())
    await commit.reached
    // The reset has taken its id by now, and the id of this token is higher.
    const { token } = JSON.parse((await login(OLD)).text).data
    expect(await statusWith(token)).toBe(200)
    commit.release()
    expect((await late).status).toBe(200)
    expect(await statusWith(token)).toBe(401)
  })
})

describe('a token created with an old token', () => {
  it('is not stored when the reset commits first', async () => {
    const commit = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'secret_hash' })
    const late = createToken(user.token)
    await commit.reached
    expect((await reset(await link())).status).toBe(200)
    commit.release()
    expect((await late).code).toBe('UNAUTHENTICATED')
    expect(await listed(tokenOf(await login(NEW)))).toHaveLength(1)
  })

  it('is revoked when it is stored before the reset', async () => {
    const commit = chain.pauseRequest({ operation: 'TransactWriteItems', mentions: 'first_valid' })
    const late = reset(await link())
    await commit.reached
    const token = tokenOf(await createToken(user.token))
    commit.release()
    expect((await late).status).toBe(200)
    expect(await statusWith(token)).toBe(401)
    expect(await listed(tokenOf(await login(NEW)))).toHaveLength(1)
  })
})

describe('a link of a mail', () => {
  it('sets a password once, even if it and another link of the same hour are opened at the same time', async () => {
    const one = await link()
    chain.clock.nowMs += 1_000
    const answers = await Promise.all([one, await link(), one].map(reset))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422])
    expect((await login(NEW)).status).toBe(200)
  })

  it('sets a password for exactly 60 minutes', async () => {
    const token = await link()
    chain.clock.nowMs += 60 * MINUTE_MS
    expect((await reset(token)).code).toBe('VALIDATION_ERROR')
    chain.clock.nowMs -= 1_000
    expect((await reset(token)).status).toBe(200)
  })

  it('confirms an address for exactly 7 days', async () => {
    await chain.table.write({
      Update: {
        Key: userKey(user.id),
        UpdateExpression: 'SET email_verified = :no',
        ExpressionAttributeValues: { ':no': false },
      },
    })
    const token = newVerifyToken(chain.privateKey, await getUser(chain.table, user.id), chain.nowSeconds())
    const verify = () => callAuth(auth.verifyEmail, { body: { token } })
    chain.clock.nowMs += 7 * DAY_MS
    expect((await verify()).code).toBe('VALIDATION_ERROR')
    chain.clock.nowMs -= 1_000
    expect((await verify()).status).toBe(200)
  })
})
