// Imports accounts, without tokens. An account that is here already stays as it is.
import { changeUser, creationActions } from '../../../../shared/accounts/commands/users.ts'
import { listEntriesOf } from '../../../../shared/accounts/lists.ts'
import { findUserIdByEmail } from '../../../../shared/accounts/store/users.ts'
import { changedProfile, type User } from '../../../../shared/accounts/user.ts'
import { userKey } from '../../../../shared/table/design.ts'
import type { UserItem } from '../item.ts'
import type { Maker } from './maker.ts'

export const USERS: Maker<UserItem> = {
  counter: 'user',
  keyOf: userKey,
  find: async ({ table }, { value: { email } }) => {
    const id = await findUserIdByEmail(table, email)
    return id === undefined ? undefined : { id, reason: 'There is an account with this address.' }
  },
  change: async (_, { value }, id) => {
    const { password_hash, ...members } = value
    const user: User = { id, ...members, first_valid_token: 0, revision: 1 }
    return {
      actions: creationActions(user, password_hash ?? null),
      lists: { after: listEntriesOf(user) },
    }
  },
  /** Never the address or the password, which only the owner of the account may change. */
  update: async ({ table }, { value: { name, bio, avatar } }, id) => {
    await changeUser(table, id, user => changedProfile(user, { name, bio, avatar }))
  },
}
