// Accounts: registration, the links of mails, a forgotten password, and the profile.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { TOKEN_PREFIX, userKey } from '../../shared/table/design.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** The longest password, with spaces at its ends and a letter of two bytes. */
const PASSWORD = ` ${'é'.repeat(198)} `
function register(body: Record<string, unknown>) {
  return world.call(auth.register, { body: { name: 'Ada', password: PASSWORD, ...body } })
}

function login(email: string, password: string) {
  return world.call(auth.login, { body: { email, password } })
}

describe('POST /api/v1/auth/register', () => {
  it('creates an account, and answers like a login', async () => {
    const email = 'Ada.Lovelace@Example.com'
    const typed = { name: ' Ada ', email: ` ${email} `, password_confirmation: PASSWORD }
    const { status, data } = await register({ ...typed, device_name: 'Phone' })
    const user = { id: expect.any(Number), name: 'Ada', email, email_verified: false }
    const issued = { token: expect.stringMatching(/^hcs_/), token_type: 'Bearer', user }
    expect([status, data]).toEqual([201, issued])
    const profile = (await world.call(me.getMe, { token: data.token })).data
    expect(profile).toMatchObject({ ...data.user, abilities: ['user'], avatar: null, bio: null })
    const tokens = (await world.call(me.listTokens, { token: data.token })).data
    expect(tokens.map(({ name, is_current }) => [name, is_current])).toEqual([['Phone', true]])
    expect((await login(email.toLowerCase(), PASSWORD)).data.user).toEqual(data.user)
    expect((await login(email, PASSWORD.trim())).code).toBe('INVALID_CREDENTIALS')
  })

  it('creates one account, one event and one mail for forty concurrent requests', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['user.registered'] })
    const email = 'crowd@example.com'
    const input = { email, password: '🔑'.repeat(8) }
    const answers = await Promise.all(Array.from({ length: 40 }, () => register(input)))
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status)
    expect(winner?.status).toBe(201)
    const losses = new Set(others.map(({ status, fields }) => `${status} ${JSON.stringify(fields)}`))
    expect([...losses]).toEqual(['422 {"email":["Is already taken."]}'])

    const { token } = await world.mailTo(email)
    await subscriber.waitFor(1)
    await until('all queues to be empty', world.isIdle)
    expect(subscriber.received.map(({ data }) => data.id)).toEqual([winner?.data.user.id])
    expect(world.mails.filter(({ to }) => to === email)).toHaveLength(1)
    expect((await world.call(auth.verifyEmail, { body: { token } })).status).toBe(200)
  })
})

function verify(token: string) {
  return world.call(auth.verifyEmail, { body: { token } })
}

function sendVerification(token: string) {
  return world.call(me.sendVerification, { token })
}

const LINK_FAULT = { token: ['Is wrong, used or expired.'] }

/** Creates a user with an unconfirmed address. Returns the token of the mail as well. */
async function unverified() {
  const user = await world.create.user({ isVerified: false })
  await sendVerification(user.token)
  return { ...user, link: await world.mailTo(user.email) }
}

describe('POST /api/v1/auth/verify-email', () => {
  it('confirms the address by the link of the mail, only once if it is opened twice at the same time', async () => {
    const { token, link } = await unverified()
    const isVerified = async () => (await world.call(me.getMe, { token })).data.email_verified
    expect(await isVerified()).toBe(false)
    const answers = await Promise.all([verify(link.token), verify(link.token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(await isVerified()).toBe(true)
    expect((await verify(link.token)).fields).toEqual(LINK_FAULT)
  })
})

describe('POST /api/v1/me/verify-email', () => {
  it('sends the mail again until the address is confirmed', async () => {
    const { token, email } = await unverified()
    expect((await sendVerification(token)).data).toEqual({})
    const second = await world.mailTo(email, 2)
    expect((await verify(second.token)).status).toBe(200)

    expect((await sendVerification(token)).status).toBe(200)
    await until('all queues to be empty', world.isIdle)
    expect(world.mails.filter(({ to }) => to === email)).toHaveLength(2)
  })
})

const OLD = 'correct horse battery staple'
const NEW = 'incorrect donkey'

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
    const both = [user.email, 'nobody@example.com']
    expect(world.mails.map(({ to }) => to).filter(to => both.includes(to))).toEqual([user.email])
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

  it('lets a banned user set a password, but not log in', async () => {
    const user = await world.create.user()
    await changeUser(world.table, user.id, user => ({ ...user, ban: { reason: null, until: null } }))
    await forget(user.email)
    const { token } = await world.mailTo(user.email)
    expect((await reset({ token, password: NEW })).status).toBe(200)
    expect((await login(user.email, NEW)).code).toBe('ACCOUNT_BANNED')
  })
})

function changeProfile(token: string, body: unknown) {
  return world.call(me.changeMe, { token, body })
}

async function profileOf(token: string) {
  return (await world.call(me.getMe, { token })).data
}

const AVATAR = 'https://cdn.example/ada.png?size=80'

describe('PATCH /api/v1/me', () => {
  it('changes only the members of the request, and returns the profile', async () => {
    const { token } = await world.create.user()
    const before = await profileOf(token)
    const bio = ' Two lines,\nas they are typed. '
    const body = { name: ' Ada ', bio, avatar: AVATAR, email: 'x@example.com' }
    const changed = (await changeProfile(token, body)).data
    expect(changed).toEqual({ ...before, name: 'Ada', bio, avatar: AVATAR })
    expect(await profileOf(token)).toEqual(changed)

    expect((await changeProfile(token, {})).data).toEqual(changed)
    expect((await changeProfile(token, { name: 'Ada' })).data).toEqual(changed)
    expect((await changeProfile(token, { bio: null, avatar: null })).data).toEqual({ ...before, name: 'Ada' })
  })
})
