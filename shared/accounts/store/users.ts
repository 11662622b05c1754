// How users are kept: account, public profile and password apart, so that no reader of one sees the others.

import * as z from 'zod/mini'
import { foldedEmail } from '../../http/email.ts'
import { notFound } from '../../http/errors.ts'
import { listPage, writeWithLists } from '../../lists/counted-list.ts'
import { listRange } from '../../lists/range.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { changeOf } from '../../table/change.ts'
import type { Table } from '../../table/client.ts'
import { failedAs, isNew } from '../../table/conditions.ts'
import { authorKey, emailKey, passwordKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { listEntriesOf, rangeOf, USERS } from '../lists.ts'
import { User, UserEntry } from '../user.ts'

const EmailLock = z.object({ user_id: z.int() })
const Password = z.object({ hash: z.string() })

/** Thrown when another account has the address. */
export class EmailTaken extends Error {}
const EMAIL_TAKEN = 'email-taken'

export function findUser(table: Table, id: number): Promise<User | undefined> {
  return table.find(userKey(id), User)
}

/** Throws NOT_FOUND. */
export async function getUser(table: Table, id: number): Promise<User> {
  const user = await findUser(table, id)
  if (!user) throw notFound('User')
  return user
}

/** Without regard to case. */
export async function findUserIdByEmail(table: Table, email: string): Promise<number | undefined> {
  return (await table.find(emailKey(foldedEmail(email)), EmailLock))?.user_id
}

export async function findPasswordHash(table: Table, userId: number): Promise<string | undefined> {
  return (await table.find(passwordKey(userId), Password))?.hash
}

/** Sets the password of an account, whatever it was. */
export function putPassword(userId: number, hash: string): Action {
  return {
    Put: { Item: { ...passwordKey(userId), hash } },
  }
}

/** Keeps the same password as another hash. Both this and `passwordIs` are STALE once the password is another. */
export function rehash(userId: number, was: string, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: { ...passwordKey(userId), hash }, ...stillHashed(was) },
  }
}

export function passwordIs(userId: number, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: { Key: passwordKey(userId), ...stillHashed(hash) },
  }
}

function stillHashed(was: string) {
  return {
    ConditionExpression: '#hash = :was',
    ExpressionAttributeNames: { '#hash': 'hash' },
    ExpressionAttributeValues: { ':was': was },
  }
}

export type NewUser = Pick<User, 'name' | 'email' | 'email_verified'> & { password_hash: string | null }
/** Writes the actions of a change of `user`, alone or with what else belongs to it, all or none. */
export type CommitUser = (actions: Action[], user: User) => Promise<void>
export type CommitChange = (actions: Action[], after: User, before: User) => Promise<void>

/** Account, profile, password and address, all or none. Throws EmailTaken. */
export async function createUser(
  table: Table,
  wanted: NewUser,
  nowSeconds: number,
  commit: CommitUser = actions => table.transact(actions),
): Promise<User> {
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
    await retryOnConflict(() =>
      writeWithLists(table, { after: listEntriesOf(user) }, listActions =>
        commit([...creation(user, password_hash), ...listActions], user),
      ),
    )
  } catch (error) {
    const isTaken = failedAs(error, EMAIL_TAKEN)
    throw isTaken ? new EmailTaken(given.email) : error
  }
  return user
}

/**
 * Record, profile and lists, all or none; `change` may run again on a newer user, and giving back the same one
 * changes nothing. Addresses are for good. Throws NOT_FOUND.
 */
export function changeUser(
  table: Table,
  id: number,
  change: (user: User) => User | Promise<User>,
  commit: CommitChange = actions => table.transact(actions),
): Promise<User> {
  return retryOnConflict(async () => {
    const before = await getUser(table, id)
    const changed = await change(before)
    if (changed === before) return before
    const after = { ...changed, revision: before.revision + 1 }
    const lists = { before: listEntriesOf(before), after: listEntriesOf(after) }
    await writeWithLists(table, lists, listActions =>
      commit([...changing(before, after), ...listActions], after, before),
    )
    return after
  })
}

const nothingHidden = Promise.resolve<string[]>([])

/** All users by id, a page at a time. */
export function listUsers(table: Table, page: number, perPage: number) {
  return listPage(table, { list: USERS, page, perPage, hidden: nothingHidden }, UserEntry)
}

/** Those whose name, or with an @ in it whose address, begins so, in that order. */
export function searchUsers(table: Table, beginning: string, page: number, perPage: number) {
  return listRange(table, { ...rangeOf(beginning), page, perPage }, UserEntry)
}

function putProfile({ id, name, avatar }: User) {
  return { Item: { ...authorKey(id), id, name, avatar } }
}

/** All that an account is made of, but its places in lists. */
export function creation(user: User, passwordHash: string | null): Action[] {
  return [
    { Put: { Item: { ...userKey(user.id), ...user }, ...isNew } },
    { Put: { ...putProfile(user), ...isNew } },
    {
      onConditionFailed: EMAIL_TAKEN,
      Put: { Item: { ...emailKey(foldedEmail(user.email)), user_id: user.id }, ...isNew },
    },
    ...(passwordHash === null ? [] : [putPassword(user.id, passwordHash)]),
  ]
}

function changing(before: User, after: User): Action[] {
  return [
    {
      onConditionFailed: CONFLICT,
      Update: { Key: userKey(after.id), ...changeOf(before, after) },
    },
    ...(before.name === after.name && before.avatar === after.avatar ? [] : [{ Put: putProfile(after) }]),
  ]
}
