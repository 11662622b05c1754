// All tokens of an account become void at once, however many there are; they are deleted later.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import type { Action } from '../../table/action.ts'
import { nextId } from '../../table/next-id.ts'
import type { User } from '../user.ts'
import { changeUser } from './users.ts'

type RevokeOptions = {
  /** Throws to refuse the account as it is then. */
  check?: (user: User) => void
  /** Comes with it or not at all. */
  actions?: Action[]
}

/**
 * The line is drawn after the account was read: a token that is added from then on (`whileValid`) raises the revision,
 * and all is read again. Throws NOT_FOUND.
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
  return changeUser(work.table, userId, revokeAll, (changing, { first_valid_token }) =>
    work.commit({
      actions: [...changing, ...actions],
      messages: [
        { queue: 'tidy', body: { kind: 'tokens', user_id: userId, first_valid: first_valid_token } },
      ],
    }),
  )
}
