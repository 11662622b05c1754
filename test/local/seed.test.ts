// The owner of a state, after repeated starts and after an erasure.
import { expect, it } from 'vitest'
import { seed } from '../../infra/local/seed.ts'
import { removeAccount } from '../../shared/accounts/commands/account.ts'
import { findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import { parseToken } from '../../shared/accounts/token.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const world = useTable()
const OWNER = { email: 'owner@example.com', password: 'a long password' }

function start(owner: typeof OWNER & { userToken?: string; adminToken?: string }) {
  return seed({ table: world.table, owner, first: false })
}

it('a start keeps the tokens of the owner, and issues new ones if the owner was erased', async () => {
  const first = await start(OWNER)
  expect(await start(first)).toEqual(first)

  const erasedId = parseToken(first.adminToken)?.userId ?? 0
  await removeAccount(unitOfWorkOn(world.table), erasedId)
  const later = await start(first)
  expect(later.adminToken).not.toBe(first.adminToken)
  const id = await findUserIdByEmail(world.table, OWNER.email)
  expect([parseToken(later.adminToken)?.userId, parseToken(later.userToken)?.userId]).toEqual([id, id])
  expect(id).not.toBe(erasedId)
})
