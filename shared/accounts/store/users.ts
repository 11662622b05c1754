// Reads users. Account, public profile and password are separate items: a reader of one never sees another.
import * as z from 'zod/mini'
import { foldedEmail } from '../../http/email.ts'
import { notFound } from '../../http/errors.ts'
import { listPage } from '../../lists/counted-list.ts'
import { listRange } from '../../lists/range.ts'
import type { Table } from '../../table/client.ts'
import { authorKey, emailKey, passwordKey, userKey } from '../../table/design.ts'
import { Author, searchRanges, USERS, User, UserEntry } from '../user.ts'

const EmailLock = z.object({ user_id: z.int() })
const Password = z.object({ hash: z.string() })

export function findUser(table: Table, id: number): Promise<User | undefined> {
  return table.find(userKey(id), User)
}

/** Throws NOT_FOUND. */
export async function getUser(table: Table, id: number): Promise<User> {
  const user = await findUser(table, id)
  if (!user) throw notFound('User')
  return user
}

/** Ignores case, and how the host is spelled. */
export async function findUserIdByEmail(table: Table, email: string): Promise<number | undefined> {
  return (await table.find(emailKey(foldedEmail(email)), EmailLock))?.user_id
}

export async function findPasswordHash(table: Table, userId: number): Promise<string | undefined> {
  return (await table.find(passwordKey(userId), Password))?.hash
}

/** A page of all users, by id. */
export function listUsers(table: Table, page: number, perPage: number) {
  return listPage(table, { list: USERS, page, perPage }, UserEntry)
}

/** A page of all users, or of those whose name or address begins with `q`: the first range that has any. */
export async function findUsers(
  table: Table,
  { q, page, per_page: perPage }: { q?: string | undefined; page: number; per_page: number },
) {
  if (q === undefined) return await listUsers(table, page, perPage)
  let found: { items: UserEntry[]; total: number } = { items: [], total: 0 }
  for (const range of searchRanges(q)) {
    if (found.total === 0) found = await listRange(table, { ...range, page, perPage }, UserEntry)
  }
  return found
}

/** The profiles with these ids. Missing ones are left out. */
export async function findAuthors(table: Table, ids: Iterable<number>): Promise<Map<number, Author>> {
  const keys = [...new Set(ids)].map(authorKey)
  const items = await table.findMany(keys)
  // The profile of an erased account may still have the number of its public posts.
  const authors = items.flatMap(item => (item.name === undefined ? [] : [Author.parse(item)]))
  return new Map(authors.map(author => [author.id, author]))
}
