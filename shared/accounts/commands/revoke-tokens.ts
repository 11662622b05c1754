// Revokes all tokens of an account in one write, however many there are. A worker deletes them later.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { Action } from '../../table/action.ts'
import { nextId } from '../../table/next-id.ts'
import type { User } from '../user.ts'
import { changeUser } from './users.ts'

type RevokeOptions = {
  /** Throws to stop, given the account as the transaction reads it. */
  check?: (user: User) => void
  /** Further actions for the same transaction. */
  actions?: Action[]
}

/**
 * The new `first_valid_token` is taken after the account was read. A token created since then has bumped the
 * revision (`ifNotRevoked`), so the change reads again and revokes it as well. Throws NOT_FOUND.
 */
export function revokeTokens(
  work: UnitOfWork,
  userId: number,
  { check, actions = [] }: RevokeOptions = {},
): Promise<User> {
  const revokeAll = async (user: User): Promise<User> => {
    check?.(user)
    return { ...user, first_valid_token: await nextId(work.table, 'token') }
  }
  return changeUser(work.table, userId, revokeAll, (change, { first_valid_token }) =>
    work.commit({
      ...change,
      actions: [...change.actions, ...actions],
      messages: [
        { queue: 'jobs', body: { kind: 'tokens', user_id: userId, first_valid: first_valid_token } },
      ],
    }),
  )
}
