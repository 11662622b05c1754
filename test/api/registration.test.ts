// Registration: an account with its first token, an event and a mail, once for each address.
import { describe, expect, it } from 'vitest'
import { auth, me } from '../../shared/accounts/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

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
  it('creates an account, answers like a login, and fires only user.registered', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url)
    const email = 'Ada.Lovelace@Example.com'
    const typed = { name: ' Ada ', email: ` ${email} `, password_confirmation: PASSWORD }
    const { status, data } = await register({ ...typed, device_name: 'Phone' })

    expect(status).toBe(201)
    expect(data).toEqual({
      token: expect.stringMatching(/^hcs_/),
      token_type: 'Bearer',
      user: { id: expect.any(Number), name: 'Ada', email, email_verified: false },
    })
    const profile = (await world.call(me.getMe, { token: data.token })).data
    expect(profile).toMatchObject({ ...data.user, abilities: ['user'], avatar: null, bio: null })
    const tokens = (await world.call(me.listTokens, { token: data.token })).data
    expect(tokens.map(({ name, is_current }) => [name, is_current])).toEqual([['Phone', true]])
    await subscriber.waitFor(1)
    expect((await login(email.toLowerCase(), PASSWORD)).data.user).toEqual(data.user)
    await subscriber.waitFor(2)
    const payload = { id: data.user.id, url: world.baseUrl, name: 'Ada', email }
    expect(subscriber.received.map(({ event, data }) => [event, data])).toEqual([
      ['user.registered', payload],
      ['user.logged-in', payload],
    ])
    expect((await login(email, PASSWORD.trim())).code).toBe('INVALID_CREDENTIALS')
  })

  it('returns 422 for a taken address, ignoring case, and leaves its account unchanged', async () => {
    const user = await world.create.user()
    const again = await register({ email: user.email.toUpperCase() })
    expect([again.status, again.code]).toEqual([422, 'VALIDATION_ERROR'])
    expect(again.fields).toEqual({ email: ['Is already taken.'] })
    expect((await world.call(me.getMe, { token: user.token })).data.name).toBe(user.name)
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

  it.each([
    [{ password: 'x'.repeat(7) }, ['password']],
    [{ password: 'x'.repeat(201) }, ['password']],
    [{ password: '🔑'.repeat(7) }, ['password']],
    [{ password_confirmation: PASSWORD.trim() }, ['password_confirmation']],
    [{ email: 'no address', password_confirmation: 'x' }, ['email', 'password_confirmation']],
    [{ email: `${'x'.repeat(250)}@a.example` }, ['email']],
    [{ name: ' ', email: 7, password: null, device_name: [] }, ['device_name', 'email', 'name', 'password']],
    [{ name: 'x'.repeat(256) }, ['name']],
  ])('returns 422 for %j', async (invalid, fields) => {
    const answer = await register({ email: 'wrong@example.com', ...invalid })
    expect([answer.status, Object.keys(answer.fields ?? {}).sort()]).toEqual([422, fields])
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

  it('returns 422 for a link that is forged, of another user or for another purpose', async () => {
    const { link, email } = await unverified()
    const other = await world.create.user({ isVerified: false })
    const { token } = link
    const foreign = token.replace(/^\d+/, String(other.id))
    const unknown = token.replace(/^\d+/, '999999')
    const later = token.replace(/\.\d+\./, '.9999999999.')
    await world.call(auth.forgotPassword, { body: { email } })
    const reset = await world.mailTo(email, 2)
    expect(reset.links[0]?.path).toBe('/reset-password')
    for (const invalid of ['nonsense', foreign, unknown, later, `${token}x`, token.slice(1), reset.token]) {
      expect([invalid, (await verify(invalid)).fields]).toEqual([invalid, LINK_FAULT])
    }
    expect((await verify(token)).data).toEqual({})
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

/** This describe must be the last one, since it closes the registration. */
describe('POST /api/v1/auth/register while registration is disabled', () => {
  it('returns REGISTRATION_DISABLED within five seconds, even for an invalid body', async () => {
    const body = { 'auth.registration_enabled': false }
    await world.call(adminSite.changeSettings, { token: world.admin, body })
    const refused = await until('registration to be closed', async () => {
      const answer = await register({ email: 7 })
      return answer.status === 403 && answer
    })
    expect(refused.code).toBe('REGISTRATION_DISABLED')
  })
})
