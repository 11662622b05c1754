// The account that a command is about, named by its address.
import * as z from 'zod/mini'
import { findUserIdByEmail, getUser } from '../../shared/accounts/store/users.ts'
import type { User } from '../../shared/accounts/user.ts'
import type { Table } from '../../shared/table/client.ts'
import { OperatorError, value } from './command.ts'

export const EMAIL = value('EMAIL', "the account's address, in any case", z.string('Is required.'))

/** Throws OperatorError. */
export async function userByEmail(table: Table, email: string): Promise<User> {
  const id = await findUserIdByEmail(table, email.trim())
  if (id === undefined) throw new OperatorError(`There is no user ${email}. All of them: user list`)
  return await getUser(table, id)
}
