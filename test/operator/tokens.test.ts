// The owner's commands for tokens: what they make, list and make void.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wasListening } from '../../shared/accounts/ban.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { me } from '../../shared/accounts/contract.ts'
import { getUser } from '../../shared/accounts/store/users.ts'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openWorld, type World } from '../world/world.ts'
import { operatorOn } from './operator-world.ts'

let world: World
let operator: ReturnType<typeof operatorOn>
beforeAll(async () => {
  world = await openWorld()
  operator = operatorOn(world)
})
afterAll(() => world.stop())

function account() {
  return world.given.user()
}

async function statusOf(token: string) {
  return (await world.call(me.getMe, { token })).status
}

describe('token', () => {
  const createFor = (email: string, name: string) =>
    operator.json(['token', 'create', '--email', email, '--abilities', 'user, admin,user', '--name', name])

  it('create issues an admin token, which list names without its text', async () => {
    const { email, id } = await account()
    const created = await createFor(email, 'laptop')
    expect(created).toMatchObject({ user_id: id, abilities: ['user', 'admin'] })
    expect((await world.call(adminCategories.listCategories, { token: created.token })).status).toBe(200)
    const tokens = await operator.json(['token', 'list', email])
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['laptop', 'test'])
    const { out } = await operator.said(['token', 'list', email])
    expect(out).toContain(`${created.id}\tlaptop\tuser,admin\t`)
    expect(out).not.toContain(created.token)
  })

  it('create gives no token that is void already, for a reset beside it', async () => {
    const { email, id } = await account()
    const { id: last } = await createFor(email, 'before')
    // As if the reset had drawn its line right after this token's number was.
    await changeUser(world.table, id, user => ({ ...user, first_valid_token: last + 2 }))
    const { token } = await createFor(email, 'after')
    expect(await statusOf(token)).toBe(200)
  })

  it('create lets the webhooks of a former admin hear what happens from then on, and nothing of before', async () => {
    const { email, id } = await account()
    await createFor(email, 'first')
    await operator.json(['token', 'revoke', email, '--all'])
    const meantimeMs = Date.now() - 1
    await createFor(email, 'again')
    const againMs = Date.now()
    await createFor(email, 'beside it')
    const owner = await getUser(world.table, id)
    expect([wasListening(owner, meantimeMs), wasListening(owner, againMs)]).toEqual([false, true])
  })

  it('revoke makes one void and leaves the others', async () => {
    const { email, token } = await account()
    const other = await createFor(email, 'other')
    expect((await operator.said(['token', 'revoke', email, String(other.id)])).out).toBe(
      `Revoked token ${other.id} of ${email}.\n`,
    )
    expect(await statusOf(other.token)).toBe(401)
    expect(await statusOf(token)).toBe(200)
    const again = await operator.said(['token', 'revoke', email, String(other.id)])
    expect(again.code).toBe(1)
    expect(again.err).toContain(`${email} has no token ${other.id}. Its tokens: token list ${email}`)
  })

  it('revoke and reset-password say how many webhook subscriptions rest with the last admin token', async () => {
    const { email } = await account()
    const first = await createFor(email, 'first')
    const second = await createFor(email, 'second')
    for (const is_active of [true, true, false]) {
      const body = { name: 'Site', url: 'https://example.com/hook', events: ['*'] }
      const { id } = (await world.call(adminWebhooks.createWebhook, { token: first.token, body })).data
      const change = { token: first.token, params: { id }, body: { is_active } }
      await world.call(adminWebhooks.changeWebhook, change)
    }
    const statesOf = async () => {
      const all = (await operator.said(['webhooks', 'list'])).out.split('\n')
      return all.filter(line => line.includes(email)).map(line => line.split('\t')[1])
    }
    const rest = `2 webhook subscriptions rest until ${email} has an admin token again: token create.\n`
    expect((await operator.said(['token', 'revoke', email, String(first.id)])).out).not.toContain('rest')
    expect(await statesOf()).toEqual(['active', 'active', 'paused'])
    expect((await operator.said(['token', 'revoke', email, String(second.id)])).out).toContain(rest)
    expect(await statesOf()).toEqual(['resting', 'resting', 'paused'])
    await createFor(email, 'third')
    expect(await statesOf()).toEqual(['active', 'active', 'paused'])
    expect((await operator.said(['token', 'revoke', email, '--all'])).out).toContain(rest)
    await createFor(email, 'fourth')
    expect((await operator.said(['user', 'reset-password', email])).out).toContain(rest)
  })

  it('revoke --all makes all void at once, and those made afterwards are good', async () => {
    const { email, token } = await account()
    const before = await createFor(email, 'before')
    expect((await operator.said(['token', 'revoke', email, '--all'])).out).toBe(
      `All tokens of ${email} are void.\n`,
    )
    expect([await statusOf(token), await statusOf(before.token)]).toEqual([401, 401])
    const after = await createFor(email, 'after')
    expect(await statusOf(after.token)).toBe(200)
    const tokens = await operator.json(['token', 'list', email])
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['after'])
  })
})
