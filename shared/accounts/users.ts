// How users are kept: account, public profile and password apart, so that no reader of one sees the others.
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import { type Action, Refused, STALE } from '../table/action.ts'
import { changeOf } from '../table/change.ts'
import type { Table } from '../table/client.ts'
import { listPage, planMoves, settle } from '../table/counted-list.ts'
import { deciding } from '../table/deciding.ts'
import { authorKey, emailKey, passwordKey, userKey } from '../table/design.ts'
import { listRange } from '../table/list-range.ts'
import { nextId } from '../table/next-id.ts'
import { sameCase, User, UserEntry } from './user.ts'
import { placesOf, rangeOf, USERS } from './user-lists.ts'

const EmailLock = z.object({ user_id: z.int() })
const Password = z.object({ hash: z.string() })

/** Thrown when another account has the address. */
export class EmailTaken extends Error {}
const EMAIL_TAKEN = 'email-taken'

export const findUser = (table: Table, id: number): Promise<User | undefined> => table.find(userKey(id), User)

/** Throws NOT_FOUND. */
export const getUser = async (table: Table, id: number): Promise<User> => {
  const user = await findUser(table, id)
  if (!user) throw notFound('User')
  return user
}

/** Without regard to case. */
export const findUserIdByEmail = async (table: Table, email: string): Promise<number | undefined> =>
  (await table.find(emailKey(sameCase(email)), EmailLock))?.user_id

export const findPasswordHash = async (table: Table, userId: number): Promise<string | undefined> =>
  (await table.find(passwordKey(userId), Password))?.hash

/** Sets the password of an account, whatever it was. */
export const putPassword = (userId: number, hash: string): Action => ({
  Put: { Item: { ...passwordKey(userId), hash } },
})

/** Keeps the same password as another hash. Both this and `passwordIs` are STALE once the password is another. */
export const rehash = (userId: number, was: string, hash: string): Action => ({
  refused: STALE,
  Put: { Item: { ...passwordKey(userId), hash }, ...stillHashed(was) },
})

export const passwordIs = (userId: number, hash: string): Action => ({
  refused: STALE,
  ConditionCheck: { Key: passwordKey(userId), ...stillHashed(hash) },
})

const stillHashed = (was: string) => ({
  ConditionExpression: '#hash = :was',
  ExpressionAttributeNames: { '#hash': 'hash' },
  ExpressionAttributeValues: { ':was': was },
})

export type NewUser = Pick<User, 'name' | 'email' | 'email_verified'> & { password_hash: string | null }
/** Writes the actions of a change of `user`, alone or with what else belongs to it, all or none. */
export type CommitUser = (actions: Action[], user: User) => Promise<void>
export type CommitChange = (actions: Action[], after: User, before: User) => Promise<void>

/** Account, profile, password and address, all or none. Throws EmailTaken. */
export const createUser = async (
  table: Table,
  wanted: NewUser,
  nowSeconds: number,
  commit: CommitUser = actions => table.transact(actions),
): Promise<User> => {
  const { password_hash, ...given } = wanted
  const user: User = {
    id: await nextId(table, 'user'),
    ...given,
    avatar: null,
    bio: null,
    ban: null,
    first_valid_token: 0,
    revision: 1,
    created_at: nowSeconds,
  }
  try {
    await deciding(async () => {
      const plan = await planMoves(table, [], placesOf(user))
      await commit([...creation(user, password_hash), ...plan.actions], user)
      await settle(table, plan.touched)
    })
  } catch (error) {
    const isTaken = error instanceof Refused && error.reasons.includes(EMAIL_TAKEN)
    throw isTaken ? new EmailTaken(given.email) : error
  }
  return user
}

/**
 * Record, profile and lists, all or none; `change` may run again on a newer user, and giving back the same one
 * changes nothing. Addresses are for good. Throws NOT_FOUND.
 */
export const changeUser = (
  table: Table,
  id: number,
  change: (user: User) => User | Promise<User>,
  commit: CommitChange = actions => table.transact(actions),
): Promise<User> =>
  deciding(async () => {
    const before = await getUser(table, id)
    const changed = await change(before)
    if (changed === before) return before
    const after = { ...changed, revision: before.revision + 1 }
    const plan = await planMoves(table, placesOf(before), placesOf(after))
    await commit([...changing(before, after), ...plan.actions], after, before)
    await settle(table, plan.touched)
    return after
  })

const nothingHidden = Promise.resolve<string[]>([])

/** All users by id, a page at a time. */
export const listUsers = (table: Table, page: number, perPage: number) =>
  listPage(table, { list: USERS, page, perPage, hidden: nothingHidden }, UserEntry)

/** Those whose name, or with an @ in it whose address, begins so, in that order. */
export const searchUsers = (table: Table, beginning: string, page: number, perPage: number) =>
  listRange(table, { ...rangeOf(beginning), page, perPage }, UserEntry)

const fresh = { ConditionExpression: 'attribute_not_exists(pk)' }

const putProfile = ({ id, name, avatar }: User) => ({ Item: { ...authorKey(id), id, name, avatar } })

/** All that an account is made of, but its places in lists. */
export const creation = (user: User, passwordHash: string | null): Action[] => [
  { Put: { Item: { ...userKey(user.id), ...user }, ...fresh } },
  { Put: { ...putProfile(user), ...fresh } },
  {
    refused: EMAIL_TAKEN,
    Put: { Item: { ...emailKey(sameCase(user.email)), user_id: user.id }, ...fresh },
  },
  ...(passwordHash === null ? [] : [putPassword(user.id, passwordHash)]),
]

const changing = (before: User, after: User): Action[] => [
  {
    refused: STALE,
    Update: { Key: userKey(after.id), ...changeOf(before, after) },
  },
  ...(before.name === after.name && before.avatar === after.avatar ? [] : [{ Put: putProfile(after) }]),
]
