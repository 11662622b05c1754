// How users are kept: account, public profile and password apart, so that no reader of one sees the others.
import { z } from 'zod'
import { type Action, Refused } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { type List, listPage, type Place, planMoves, settle } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { authorKey, emailKey, passwordKey, rootKey, sortable, userKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'

export const User = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  avatar: z.string().nullable(),
  bio: z.string().nullable(),
  is_banned: z.boolean(),
  created_at: z.number(),
})
export type User = z.infer<typeof User>

const EmailLock = z.object({ user_id: z.int() })
const Password = z.object({ hash: z.string() })

/** Thrown when another account has the address. */
export class EmailTaken extends Error {}

export const findUser = (table: Table, id: number): Promise<User | undefined> => table.find(userKey(id), User)

/** Without regard to case. */
export const findUserIdByEmail = async (table: Table, email: string): Promise<number | undefined> =>
  (await table.find(emailKey(sameCase(email)), EmailLock))?.user_id

export const findPasswordHash = async (table: Table, userId: number): Promise<string | undefined> =>
  (await table.find(passwordKey(userId), Password))?.hash

export type NewUser = Pick<User, 'name' | 'email' | 'email_verified'> & { password_hash: string | null }

/** Account, profile, password and address, all or none. Throws EmailTaken. */
export const createUser = async (table: Table, wanted: NewUser, nowSeconds: number): Promise<User> => {
  const { password_hash, ...given } = wanted
  const user: User = {
    id: await nextId(table, 'user'),
    ...given,
    avatar: null,
    bio: null,
    is_banned: false,
    created_at: nowSeconds,
  }
  try {
    await deciding(async () => {
      const plan = await planMoves(table, [], placesOf(user))
      await table.transact([...creation(user, password_hash), ...plan.actions])
      await settle(table, plan.touched)
    })
  } catch (error) {
    throw error instanceof Refused ? new EmailTaken(given.email) : error
  }
  return user
}

const USERS: List = { name: 'users', order: 'ascending', root: rootKey('users'), fixed: true }

const placesOf = (user: User): Place[] => [{ list: USERS, order: sortable(user.id), item: user }]

const nothingHidden = Promise.resolve<string[]>([])

/** All users by id, a page at a time. */
export const listUsers = (table: Table, page: number, perPage: number) =>
  listPage(table, { list: USERS, page, perPage, hidden: nothingHidden }, User)

/** Addresses are compared without regard to case, and kept as given. */
const sameCase = (email: string): string => email.normalize('NFC').toLowerCase()

const fresh = { ConditionExpression: 'attribute_not_exists(pk)' }

const creation = (user: User, passwordHash: string | null): Action[] => [
  { Put: { Item: { ...userKey(user.id), ...user }, ...fresh } },
  { Put: { Item: { ...authorKey(user.id), id: user.id, name: user.name, avatar: user.avatar }, ...fresh } },
  { Put: { Item: { ...emailKey(sameCase(user.email)), user_id: user.id }, ...fresh } },
  ...(passwordHash === null
    ? []
    : [{ Put: { Item: { ...passwordKey(user.id), hash: passwordHash }, ...fresh } }]),
]
