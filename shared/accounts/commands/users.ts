// Creates and changes users: record, profile, address and lists in one transaction.
import { commitPublicly, type PublicChangeAt } from '../../feed/commit.ts'
import { foldedEmail } from '../../http/email.ts'
import { writeWithLists } from '../../lists/counted-list.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import { changeOf, setMembers } from '../../table/change.ts'
import type { Table } from '../../table/client.ts'
import { failedAs, isNew } from '../../table/conditions.ts'
import { authorKey, emailKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { listEntriesOf } from '../lists.ts'
import { getUser } from '../store/users.ts'
import type { User } from '../user.ts'
import { putPassword } from './passwords.ts'
import { changedAuthor, findPublicAuthor, HAS_NO_PUBLIC_POSTS, type PublicAuthor } from './public-author.ts'

/** Thrown when another account has the address. */
export class EmailTaken extends Error {}

const EMAIL_TAKEN = 'email-taken'

export type NewUser = Pick<User, 'name' | 'email' | 'email_verified'> & { password_hash: string | null }

/** Writes the actions of a change. Callers pass their own to add further actions, events and mails. */
export type CommitUser = (actions: Action[], user: User) => Promise<void>

/** `change`: for `work.commit`, with what readers see of it. */
export type CommitChange = (
  change: { actions: Action[]; public: PublicChangeAt | undefined },
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
    const author = hasSameProfile(before, after) ? undefined : await findPublicAuthor(table, id)
    const seen = author && changedAuthor(author)
    await writeWithLists(table, lists, listActions =>
      commit(
        { actions: [...changeActions(before, after, author), ...listActions], public: seen },
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
    { Put: { Item: { ...authorKey(user.id), ...profileOf(user), public_posts: 0 }, ...isNew } },
    {
      onConditionFailed: EMAIL_TAKEN,
      Put: { Item: { ...emailKey(foldedEmail(user.email)), user_id: user.id }, ...isNew },
    },
    ...(passwordHash === null ? [] : [putPassword(user.id, passwordHash)]),
  ]
}

/** `author`: undefined if the public profile stays. */
function changeActions(before: User, after: User, author: PublicAuthor | undefined): Action[] {
  const isAsCounted = author?.isCounted === false ? HAS_NO_PUBLIC_POSTS : {}
  return [
    {
      onConditionFailed: CONFLICT,
      Update: { Key: userKey(after.id), ...changeOf(before, after) },
    },
    ...(author
      ? [
          {
            onConditionFailed: CONFLICT,
            Update: { Key: authorKey(after.id), ...setMembers(profileOf(after), isAsCounted) },
          },
        ]
      : []),
  ]
}

/** Posts and comments show the name and the picture. */
export function hasSameProfile(a: User, b: User): boolean {
  return a.name === b.name && a.avatar === b.avatar
}
