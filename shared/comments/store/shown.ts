// A page of comments as it is shown: the words, what their status is now, and the names behind them, side by side.
import * as z from 'zod/mini'
import { findAuthors } from '../../accounts/store/authors.ts'
import type { Table } from '../../table/client.ts'
import { commentKey, postKey, threadKey, userKey } from '../../table/design.ts'
import { CommentContent, CommentState, statesById } from '../comment.ts'
import type { AdminComment, Comment } from '../contract.ts'
import { type Authors, adminView, commentView } from '../view.ts'
import type { CommentEntry } from './comments.ts'

function usersOf(entries: Pick<CommentEntry, 'user_id'>[]): number[] {
  return [...new Set(entries.flatMap(({ user_id }) => user_id ?? []))]
}

/** One that is deleted while it is being read is left out. */
async function readComments(table: Table, entries: CommentEntry[]) {
  const [words, standings] = await Promise.all([
    table.findMany(entries.map(({ id }) => commentKey(id))),
    table.findMany(entries.map(({ post_id, path }) => threadKey(post_id, path))),
  ])
  const wordsById = new Map(words.map(item => CommentContent.parse(item)).map(one => [one.id, one]))
  const known = statesById(standings.map(item => CommentState.parse(item)))
  return entries.flatMap(({ id }) => {
    const [one, standing] = [wordsById.get(id), known.get(id)]
    return one && standing ? [{ words: one, status: standing.status }] : []
  })
}

export async function showComments(table: Table, entries: CommentEntry[], nowMs: number): Promise<Comment[]> {
  const [found, authors] = await Promise.all([
    readComments(table, entries),
    findAuthors(table, usersOf(entries), nowMs),
  ])
  return found.map(({ words, status }) => commentView(words, status, authors))
}

/** Nothing is ever public that is not approved at this moment. */
export async function showPublic(table: Table, entries: CommentEntry[], nowMs: number): Promise<Comment[]> {
  return (await showComments(table, entries, nowMs)).filter(({ status }) => status === 'approved')
}

const PostSlug = z.object({ id: z.int(), slug: z.string() })
const UserNames = z.object({
  id: z.int(),
  name: z.string(),
  avatar: z.nullable(z.string()),
  email: z.string(),
})

/** Names as they are now, and what admins see besides: the address of whoever has an account. */
export async function findNames(
  table: Table,
  entries: Pick<CommentEntry, 'user_id'>[],
): Promise<{ authors: Authors; emails: Map<number, string> }> {
  const users = (await table.findMany(usersOf(entries).map(userKey))).map(item => UserNames.parse(item))
  return {
    authors: new Map(users.map(user => [user.id, user])),
    emails: new Map(users.map(({ id, email }) => [id, email])),
  }
}

/** A slug is the post's own as it is now. */
export async function showForAdmin(table: Table, entries: CommentEntry[]): Promise<AdminComment[]> {
  const postIds = [...new Set(entries.map(({ post_id }) => post_id))]
  const [found, names, posts] = await Promise.all([
    readComments(table, entries),
    findNames(table, entries),
    table.findMany(postIds.map(postKey)),
  ])
  const slugs = new Map(posts.map(item => PostSlug.parse(item)).map(({ id, slug }) => [id, slug]))
  return found.flatMap(({ words, status }) => {
    const slug = slugs.get(words.post_id)
    return slug === undefined ? [] : [adminView(words, status, { ...names, slug })]
  })
}
