// The commands for accounts.
import { describe, expect, it } from 'vitest'
import { adminUsers } from '../../shared/accounts/admin-contract.ts'
import { auth, me } from '../../shared/accounts/contract.ts'
import { openSubscriber } from '../support/subscriber.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const operator = operatorOn(world)

describe('user create', () => {
  it('creates an account and shows the generated password', async () => {
    const argv = ['user', 'create', '--email', 'Ada@example.com', '--name', 'Ada']
    const { code, out, err } = await operator.run(argv)
    expect(code).toBe(0)
    const [, id, password] =
      /^Created user (\d+): Ada <Ada@example\.com>\nPassword: (\S{20})\n$/.exec(out) ?? []
    expect(err).toContain('Working on the service of a test.')
    const { data } = await world.call(auth.login, { body: { email: 'ada@example.com', password } })
    expect(data.user).toMatchObject({ id: Number(id), email_verified: true })
  })

  it('reads the password from stdin and does not show it', async () => {
    const argv = ['user', 'create', '--email', 'in@example.com', '--name', 'In', '--password-stdin']
    expect(await operator.refusal(argv, 'short')).toContain('The password: Must have 8 to 200 characters.')
    const created = await operator.json(argv, { stdin: 'long enough' })
    expect(created).toEqual({ id: expect.any(Number), name: 'In', email: 'in@example.com' })
  })

  it('fires no event, since the user did not register', async () => {
    const subscriber = await openSubscriber()
    await world.create.webhook(subscriber.url, { events: ['user.registered', 'user.banned'] })
    const argv = ['user', 'create', '--email', 'quiet@example.com', '--name', 'Q', '--password-stdin']
    const { id } = await operator.json(argv, { stdin: 'long enough' })
    await world.call(adminUsers.banUser, { token: world.admin, params: { id } })
    await subscriber.waitFor(1)
    expect(subscriber.received.map(({ event }) => event)).toEqual(['user.banned'])
  })

  it('accepts the addresses that the API accepts', async () => {
    const argv = ['user', 'create', '--name', 'A', '--password-stdin', '--email']
    expect((await operator.run([...argv, 'a@example.123'], 'long enough')).code).toBe(2)
    const created = await operator.json([...argv, " o'neil+1@example.com "], { stdin: 'long enough' })
    expect(created.email).toBe("o'neil+1@example.com")
  })

  it('refuses an address that an account has in another case', async () => {
    const email = (await world.create.user()).email.toUpperCase()
    const argv = ['user', 'create', '--email', email, '--name', 'Again', '--password-stdin']
    expect(await operator.refusal(argv, 'long enough')).toContain(`There already is a user ${email}.`)
  })
})

describe('user verify', () => {
  it('confirms an address, even a second time', async () => {
    const { email, id } = await world.create.user()
    for (const _ of [1, 2]) {
      const verified = await operator.json(['user', 'verify', email.toUpperCase()])
      expect(verified).toEqual({ id, email, email_verified: true })
    }
  })

  it('fails for an address without an account', async () => {
    const reason = await operator.refusal(['user', 'verify', 'nobody@example.com'])
    expect(reason).toContain('There is no user nobody@example.com. See ')
  })
})

describe('user reset-password', () => {
  it('sets a new password and revokes all earlier tokens', async () => {
    const { email, token } = await world.create.user()
    const { password } = await operator.json(['user', 'reset-password', email])
    expect((await world.call(me.getMe, { token })).status).toBe(401)
    expect(await operator.json(['token', 'list', email])).toEqual([])
    expect((await world.call(auth.login, { body: { email, password } })).status).toBe(200)
  })
})
