// Creates and changes users: record, profile, address and lists in one transaction.
import * as z from 'zod/mini'
import { commitPublicly, type PublicChange } from '../../feed/commit.ts'
import { foldedEmail } from '../../http/email.ts'
import { writeWithLists } from '../../lists/counted-list.ts'
import { type Action, CONFLICT, changeOf, failedAs, isNew, setMembers } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { authorKey, emailKey, passwordKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { getUser } from '../store/users.ts'
import { listEntriesOf, type User } from '../user.ts'

/** Thrown when another account has the address. */
export class EmailTaken extends Error {}

const EMAIL_TAKEN = 'email-taken'

type NewUser = Pick<User, 'name' | 'email' | 'email_verified'> & { password_hash: string | null }

/** Writes the actions of a change. Callers pass their own to add further actions, events and mails. */
type CommitUser = (actions: Action[], user: User) => Promise<void>

/** `change`: for `work.commit`, with what readers see of it. */
type CommitChange = (
  change: { actions: Action[]; public: PublicChange | undefined },
  after: User,
  before: User,
) => Promise<void>

/** Throws EmailTaken. */
export async function createUser(
  table: Table,
  newUser: NewUser,
  nowSeconds: number,
  commit: CommitUser = actions => table.transact(actions),
): Promise<User> {
  const { password_hash, ...profile } = newUser
  const user: User = {
    id: await nextId(table, 'user'),
    ...profile,
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
        commit([...creationActions(user, password_hash), ...listActions], user),
      ),
    )
  } catch (error) {
    const isTaken = failedAs(error, EMAIL_TAKEN)
    throw isTaken ? new EmailTaken(profile.email) : error
  }
  return user
}

/**
 * `change` may run again on a newer user; nothing is written if it returns the same object. It must not
 * change the e-mail address. Throws NOT_FOUND.
 */
export function changeUser(
  table: Table,
  id: number,
  change: (user: User) => User | Promise<User>,
  commit: CommitChange = ({ actions, public: seen }) =>
    seen ? commitPublicly(table, actions, seen) : table.transact(actions),
): Promise<User> {
  return retryOnConflict(async () => {
    const before = await getUser(table, id)
    const changed = await change(before)
    if (changed === before) return before
    const after = { ...changed, revision: before.revision + 1 }
    const lists = { before: listEntriesOf(before), after: listEntriesOf(after) }
    const profile = hasSameProfile(before, after) ? undefined : await table.find(authorKey(id), Shown)
    const isHidden = profile?.is_shown === false
    const seen = hasSameProfile(before, after) || isHidden ? undefined : SHOWN_CHANGE
    await writeWithLists(table, lists, listActions =>
      commit(
        { actions: [...changeActions(before, after, isHidden), ...listActions], public: seen },
        after,
        before,
      ),
    )
    return after
  })
}

function profileOf({ id, name, avatar }: User) {
  return { id, name, avatar }
}

/** All items of a new account but its list entries. */
export function creationActions(user: User, passwordHash: string | null): Action[] {
  return [
    { Put: { Item: { ...userKey(user.id), ...user }, ...isNew } },
    { Put: { Item: { ...authorKey(user.id), ...profileOf(user), is_shown: false }, ...isNew } },
    {
      onConditionFailed: EMAIL_TAKEN,
      Put: { Item: { ...emailKey(foldedEmail(user.email)), user_id: user.id }, ...isNew },
    },
    ...(passwordHash === null ? [] : [putPassword(user.id, passwordHash)]),
  ]
}

/** `isHidden`: no post shows the user, which must still be so. */
function changeActions(before: User, after: User, isHidden: boolean): Action[] {
  const ofUser: Action = {
    onConditionFailed: CONFLICT,
    Update: { Key: userKey(after.id), ...changeOf(before, after) },
  }
  if (hasSameProfile(before, after)) return [ofUser]
  const profile = setMembers(profileOf(after), isHidden ? IS_HIDDEN : {})
  return [ofUser, { onConditionFailed: CONFLICT, Update: { Key: authorKey(after.id), ...profile } }]
}

/** Posts and comments show the name and the picture. */
export function hasSameProfile(a: User, b: User): boolean {
  return a.name === b.name && a.avatar === b.avatar
}

/** From now on another name or picture of the author is a change of public content. */
export function showAuthor(authorId: number): Action {
  return { Update: { Key: authorKey(authorId), ...setMembers({ is_shown: true }) } }
}

/** For the profile of a user whom no post shows: none was published since it was read. */
const IS_HIDDEN = {
  ConditionExpression: 'is_shown = :no',
  ExpressionAttributeValues: { ':no': false },
}

/** Missing in a profile that the doctor has restored. */
const Shown = z.object({ is_shown: z.optional(z.boolean()) })

/** Copies of the public content are pulled again. */
const SHOWN_CHANGE: PublicChange = { raised: 'names', notes: [{ kind: 'all' }] }

/** Sets the password of an account, whatever it was. */
export function putPassword(userId: number, hash: string): Action {
  return {
    Update: { Key: passwordKey(userId), ...setMembers({ hash }) },
  }
}

/** Changes nothing. Fails with CONFLICT if the password has changed. */
export function ifPasswordUnchanged(userId: number, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key: passwordKey(userId),
      ConditionExpression: '#hash = :hash',
      ExpressionAttributeNames: { '#hash': 'hash' },
      ExpressionAttributeValues: { ':hash': hash },
    },
  }
}
