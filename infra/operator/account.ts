// The account that a command is about, named by its address.
import { z } from 'zod'
import type { User } from '../../shared/accounts/user.ts'
import { changeUser, findUserIdByEmail, getUser } from '../../shared/accounts/users.ts'
import type { Work } from '../../shared/lambda/work.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { nextId } from '../../shared/table/next-id.ts'
import { OperatorError, value } from './command.ts'

export const EMAIL = value('EMAIL', "the account's address, in any case", z.string('Is required.'))

/** Throws OperatorError. */
export const userByEmail = async (table: Table, email: string): Promise<User> => {
  const id = await findUserIdByEmail(table, email.trim())
  if (id === undefined) throw new OperatorError(`There is no user ${email}. All of them: user list`)
  return await getUser(table, id)
}

/** Every token that the user has until now is void at once, with `actions` or not at all, and removed later. */
export const voidTokens = async (work: Work, userId: number, actions: Action[] = []): Promise<User> => {
  const firstValid = await nextId(work.table, 'token')
  const drawLine = (user: User) => ({ ...user, first_valid_token: firstValid })
  return await changeUser(work.table, userId, drawLine, changing =>
    work.commit({
      actions: [...changing, ...actions],
      messages: [{ queue: 'tidy', body: { kind: 'tokens', user_id: userId, first_valid: firstValid } }],
    }),
  )
}
