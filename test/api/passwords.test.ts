// A forgotten password: the mail with its link, the new password, and the revocation of all tokens.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { TOKEN_PREFIX, userKey } from '../../shared/table/design.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

const OLD = 'correct horse battery staple'
const NEW = 'incorrect donkey'
const LINK_FAULT = { token: ['Is wrong, used or expired.'] }

function login(email: string, password: string) {
  return world.call(auth.login, { body: { email, password } })
}

function forget(email: string) {
  return world.call(auth.forgotPassword, { body: { email } })
}

function reset(body: Record<string, unknown>) {
  return world.call(auth.resetPassword, { body })
}

function tokensKept(userId: number) {
  return world.table.query({ pk: userKey(userId).pk, beginsWith: TOKEN_PREFIX }, z.looseObject({}))
}

describe('POST /api/v1/auth/forgot-password', () => {
  it('answers the same for every address, and sends a mail to those with an account', async () => {
    const user = await world.create.user()
    const registered = await forget(` ${user.email.toUpperCase()} `)
    const unknown = await forget('nobody@example.com')
    expect([registered.status, registered.text]).toEqual([200, unknown.text])
    expect(registered.data).toEqual({})
    const mail = await world.mailTo(user.email)
    await until('all queues to be empty', world.isIdle)
    expect(mail.links.map(({ path }) => path)).toEqual(['/reset-password'])
    expect(world.mails.map(({ to }) => to)).toEqual([user.email])
  })
})

describe('POST /api/v1/auth/reset-password', () => {
  it('sets the password once and revokes all of many tokens', async () => {
    const user = await world.create.user({ password: OLD, isVerified: false })
    const others = await Promise.all(
      Array.from({ length: 220 }, () => world.create.token(user.id, ['user', 'admin'])),
    )
    await forget(user.email)
    const { token } = await world.mailTo(user.email)
    const body = { token, password: NEW, password_confirmation: NEW }
    expect((await reset(body)).data).toEqual({})

    for (const token of [user.token, ...others.slice(-3)]) {
      expect((await world.call(me.getMe, { token })).code).toBe('UNAUTHENTICATED')
    }
    expect((await login(user.email, OLD)).code).toBe('INVALID_CREDENTIALS')
    const { data } = await login(user.email, NEW)
    // The mail proves the address, but only a link for that purpose confirms it.
    expect(data.user.email_verified).toBe(false)
    expect((await world.call(me.listTokens, { token: data.token })).data).toHaveLength(1)
    expect((await reset({ ...body, password: OLD, password_confirmation: OLD })).fields).toEqual(LINK_FAULT)
    await until('the revoked tokens to be deleted', async () => (await tokensKept(user.id)).length === 1)
    expect((await world.call(me.getMe, { token: data.token })).status).toBe(200)
  })

  it('returns 422 for a link that is forged, of another user or for another purpose, and changes nothing', async () => {
    const user = await world.create.user({ isVerified: false })
    const stranger = await world.create.user()
    await forget(user.email)
    const { token } = await world.mailTo(user.email)
    await world.call(me.sendVerification, { token: user.token })
    const verification = await world.mailTo(user.email, 2)
    const later = token.replace(/\.\d+\./, '.9999999999.')
    const ofStranger = token.replace(/^\d+/, String(stranger.id))
    const ofUnknownUser = token.replace(/^\d+/, '999999')
    for (const invalid of ['nonsense', later, ofStranger, ofUnknownUser, `${token}x`, verification.token]) {
      expect([invalid, (await reset({ token: invalid, password: NEW })).fields]).toEqual([
        invalid,
        LINK_FAULT,
      ])
    }
    for (const { token } of [user, stranger]) expect((await world.call(me.getMe, { token })).status).toBe(200)
  })

  it('reports all faults of the form together, before it checks the link', async () => {
    const { fields } = await reset({ token: ' ', password: 'short', password_confirmation: 'other' })
    expect(Object.keys(fields ?? {}).sort()).toEqual(['password', 'password_confirmation', 'token'])
    expect(Object.keys((await reset({ token: 'nonsense', password: 'short' })).fields ?? {})).toEqual([
      'password',
    ])
  })

  it('lets a banned user set a password, but not log in', async () => {
    const user = await world.create.user()
    await changeUser(world.table, user.id, user => ({ ...user, ban: { reason: null, until: null } }))
    await forget(user.email)
    const { token } = await world.mailTo(user.email)
    expect((await reset({ token, password: NEW })).status).toBe(200)
    expect((await login(user.email, NEW)).code).toBe('ACCOUNT_BANNED')
  })
})
