// Finds the account that a command names by its address.
import * as z from 'zod/mini'
import { findUserIdByEmail, getUser } from '../../shared/accounts/store/users.ts'
import type { User } from '../../shared/accounts/user.ts'
import type { Table } from '../../shared/table/client.ts'
import { value } from './command.ts'
import { OperatorError } from './operator-error.ts'

export const EMAIL = value(
  'EMAIL',
  'address of the account, in upper or lower case',
  z.string('Is required.'),
)

/** Throws OperatorError if no account has the address. */
export async function userByEmail(table: Table, email: string): Promise<User> {
  const id = await findUserIdByEmail(table, email.trim())
  if (id === undefined) throw new OperatorError(`There is no user ${email}. List all users: user list`)
  return await getUser(table, id)
}
