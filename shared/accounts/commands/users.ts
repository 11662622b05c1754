// Creates and changes users: record, profile, address and lists in one transaction.
import * as z from 'zod/mini'
import type { Change } from '../../events/unit-of-work.ts'
import { commitPublicly, type PublicChange, type PublicChangeAt } from '../../feed/commit.ts'
import { foldedEmail } from '../../http/email.ts'
import { writeWithLists } from '../../lists/counted-list.ts'
import { type Action, CONFLICT, changeOf, failedAs, isNew, setMembers } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import {
  authorKey,
  emailKey,
  passwordKey,
  postKey,
  SCHEDULED_PARTITION,
  userKey,
} from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { getUser } from '../store/users.ts'
import { listEntriesOf, type User } from '../user.ts'

/** Thrown when another account has the address. */
export class EmailTaken extends Error {}

const EMAIL_TAKEN = 'email-taken'

type NewUser = Pick<User, 'name' | 'email' | 'email_verified'> & { password_hash: string | null }

type UserChange = Pick<Change, 'actions' | 'lists' | 'public'>

/** Without a unit of work. Callers pass their own to add further actions, events and mails. */
function commitAlone(table: Table, { actions, lists = {}, public: seen }: UserChange): Promise<void> {
  return writeWithLists(table, lists, listActions => {
    const all = [...actions, ...listActions]
    return seen ? commitPublicly(table, all, seen) : table.transact(all)
  })
}

/** Throws EmailTaken. */
export async function createUser(
  table: Table,
  newUser: NewUser,
  nowSeconds: number,
  commit: (change: UserChange, user: User) => Promise<void> = change => commitAlone(table, change),
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
    const creation = {
      actions: creationActions(user, password_hash),
      lists: { after: listEntriesOf(user) },
    }
    await retryOnConflict(() => commit(creation, user))
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
  commit: (change: UserChange, after: User, before: User) => Promise<void> = change =>
    commitAlone(table, change),
): Promise<User> {
  return retryOnConflict(async () => {
    const before = await getUser(table, id)
    const changed = await change(before)
    if (changed === before) return before
    const after = { ...changed, revision: before.revision + 1 }
    const lists = { before: listEntriesOf(before), after: listEntriesOf(after) }
    const author = hasSameProfile(before, after) ? undefined : await findPublicAuthor(table, id)
    const actions = changeActions(before, after, author)
    await commit({ actions, lists, public: author && changedAuthor(author) }, after, before)
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
  const ofUser: Action = {
    onConditionFailed: CONFLICT,
    Update: { Key: userKey(after.id), ...changeOf(before, after) },
  }
  if (!author) return [ofUser]
  const profile = setMembers(profileOf(after), author.isCounted ? {} : HAS_NO_PUBLIC_POSTS)
  return [ofUser, { onConditionFailed: CONFLICT, Update: { Key: authorKey(after.id), ...profile } }]
}

/** Posts and comments show the name and the picture. */
export function hasSameProfile(a: User, b: User): boolean {
  return a.name === b.name && a.avatar === b.avatar
}

/** Adds to the number of announced posts and pages of an author. */
export function addToPublicPosts(authorId: number, count: number): Action {
  return {
    Update: {
      Key: authorKey(authorId),
      UpdateExpression: 'ADD public_posts :count',
      ExpressionAttributeValues: { ':count': count },
    },
  }
}

/** For the profile of an author without public posts: none was announced since it was read. */
const HAS_NO_PUBLIC_POSTS = {
  ConditionExpression: 'public_posts = :none',
  ExpressionAttributeValues: { ':none': 0 },
}

/** A profile that the doctor restores has no number until the doctor has counted. */
const Counted = z.object({ public_posts: z.optional(z.int()) })
const Scheduled = z.object({ id: z.int(), posted_at: z.int() })
const Authored = z.object({ id: z.int(), author_id: z.int() })

/** `isCounted`: an announced post shows the author. `dueMs`: when the next one may become public. */
type PublicAuthor = { isCounted: boolean; dueMs: number }

/** How many of the posts that become due next are read for their authors. */
const DUE_NEXT = 25

async function findPublicAuthor(table: Table, id: number): Promise<PublicAuthor> {
  const [profile, next] = await Promise.all([
    table.find(authorKey(id), Counted),
    table.query({ pk: SCHEDULED_PARTITION, limit: DUE_NEXT }, Scheduled),
  ])
  if (profile?.public_posts !== 0) return { isCounted: true, dueMs: 0 }
  const posts = (await table.findMany(next.map(row => postKey(row.id)))).map(item => Authored.parse(item))
  const own = new Set(posts.filter(post => post.author_id === id).map(post => post.id))
  const due = next.find((row, n) => own.has(row.id) || n === DUE_NEXT - 1)
  return { isCounted: false, dueMs: due ? due.posted_at * 1000 : Number.POSITIVE_INFINITY }
}

const SHOWN: PublicChange = { raised: 'names', notes: [{ kind: 'all' }] }
const HIDDEN: PublicChange = { notes: [] }
/** Functions remember a name from the moment on at which a scheduled post becomes due. */
const SOON_MS = 60_000

/** Another name or picture of the author: copies are pulled again if a reader sees it. */
function changedAuthor({ isCounted, dueMs }: PublicAuthor): PublicChangeAt {
  return nowMs => {
    if (isCounted || dueMs <= nowMs) return SHOWN
    return dueMs <= nowMs + SOON_MS ? { ...SHOWN, notes: [] } : HIDDEN
  }
}

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
