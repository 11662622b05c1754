// The commands for tokens.
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { me } from '../../shared/accounts/contract.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { useWorld } from '../support/world.ts'
import { operatorOn } from './operator-world.ts'

const world = useWorld()
const operator = operatorOn(world)

async function statusOf(token: string) {
  return (await world.call(me.getMe, { token })).status
}

function createFor(email: string, name: string) {
  const options = ['--email', email, '--abilities', 'user, admin,user', '--name', name]
  return operator.json(['token', 'create', ...options])
}

describe('token create', () => {
  it('creates an admin token, which token list shows without its text', async () => {
    const { email, id } = await world.create.user()
    const created = await createFor(email, 'laptop')
    expect(created).toMatchObject({ user_id: id, abilities: ['user', 'admin'] })
    expect((await world.call(adminCategories.listCategories, { token: created.token })).status).toBe(200)
    const tokens = await operator.json(['token', 'list', email])
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['laptop', 'test'])
    const { out } = await operator.run(['token', 'list', email])
    expect(out).toContain(`${created.id}\tlaptop\tuser,admin\t`)
    expect(out).not.toContain(created.token)
  })

  it('creates a valid token during a concurrent password reset', async () => {
    const { email, id } = await world.create.user()
    const { id: last } = await createFor(email, 'before')
    // As if the reset revoked all tokens right after the new token got its id.
    await changeUser(world.table, id, user => ({ ...user, first_valid_token: last + 2 }))
    const { token } = await createFor(email, 'after')
    expect(await statusOf(token)).toBe(200)
  })
})

describe('token revoke', () => {
  it('revokes one token and leaves the others', async () => {
    const { email, token } = await world.create.user()
    const other = await createFor(email, 'other')
    const argv = ['token', 'revoke', email, String(other.id)]
    expect((await operator.run(argv)).out).toBe(`Revoked token ${other.id} of ${email}.\n`)
    expect(await statusOf(other.token)).toBe(401)
    expect(await statusOf(token)).toBe(200)
    const missing = `${email} has no token ${other.id}. List them: token list ${email}`
    expect(await operator.refusal(argv)).toContain(missing)
  })

  it('says that webhook subscriptions rest without an admin token, as user reset-password does', async () => {
    const { email } = await world.create.user()
    const first = await createFor(email, 'first')
    const second = await createFor(email, 'second')
    for (const is_active of [true, true, false]) {
      const body = { name: 'Site', url: 'https://example.com/hook', events: ['*'] }
      const { id } = (await world.call(adminWebhooks.createWebhook, { token: first.token, body })).data
      const change = { token: first.token, params: { id }, body: { is_active } }
      await world.call(adminWebhooks.changeWebhook, change)
    }
    const statesOf = async () => {
      const all = (await operator.run(['webhooks', 'list'])).out.split('\n')
      return all.filter(line => line.includes(email)).map(line => line.split('\t')[1])
    }
    const suspended = `The webhook subscriptions of ${email} rest until it has an admin token: token create\n`
    expect((await operator.run(['token', 'revoke', email, String(first.id)])).out).not.toContain(suspended)
    expect(await statesOf()).toEqual(['active', 'active', 'paused'])
    expect((await operator.run(['token', 'revoke', email, String(second.id)])).out).toContain(suspended)
    expect(await statesOf()).toEqual(['suspended', 'suspended', 'paused'])
    await createFor(email, 'third')
    expect(await statesOf()).toEqual(['active', 'active', 'paused'])
    expect((await operator.run(['token', 'revoke', email, '--all'])).out).toContain(suspended)
    await createFor(email, 'fourth')
    expect((await operator.run(['user', 'reset-password', email])).out).toContain(suspended)
  })

  it('says that tokens for builds rest without an admin token, as token create does', async () => {
    const { email } = await world.create.user()
    const createBuild = () =>
      operator.run(['token', 'create', '--email', email, '--name', 'build', '--abilities', 'builds:read'])
    const ignored = `The tokens for builds of ${email} rest until it has an admin token: token create\n`
    const { out } = await createBuild()
    expect(out).toContain(' (builds:read), ')
    expect(out).toContain(ignored)
    const [first, second] = [await createFor(email, 'first'), await createFor(email, 'second')]
    expect((await createBuild()).out).not.toContain(ignored)
    const revoke = (id: number) => operator.run(['token', 'revoke', email, String(id)])
    expect((await revoke(first.id)).out).not.toContain(ignored)
    expect((await revoke(second.id)).out).toContain(ignored)
    await createFor(email, 'third')
    expect((await operator.run(['token', 'revoke', email, '--all'])).out).not.toContain(ignored)
  })

  it('revokes all tokens with --all, while later tokens are valid', async () => {
    const { email, token } = await world.create.user()
    const before = await createFor(email, 'before')
    const { out } = await operator.run(['token', 'revoke', email, '--all'])
    expect(out).toBe(`Revoked all tokens of ${email}.\n`)
    expect([await statusOf(token), await statusOf(before.token)]).toEqual([401, 401])
    const after = await createFor(email, 'after')
    expect(await statusOf(after.token)).toBe(200)
    const tokens = await operator.json(['token', 'list', email])
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['after'])
  })
})
