// Reads the data that the views of comments show: content, current status and current names.
import * as z from 'zod/mini'
import { findAuthors } from '../../accounts/store/authors.ts'
import type { Table } from '../../table/client.ts'
import { commentKey, postKey, threadKey, userKey } from '../../table/design.ts'
import { CommentContent, CommentState } from '../comment.ts'
import type { AdminComment, Comment } from '../contract.ts'
import { type Authors, adminView, commentView } from '../view.ts'
import type { CommentEntry } from './comments.ts'

function usersOf(entries: Pick<CommentEntry, 'user_id'>[]): number[] {
  return [...new Set(entries.flatMap(({ user_id }) => user_id ?? []))]
}

/** Leaves out a comment that is deleted while it is being read. */
async function readComments(table: Table, entries: CommentEntry[]) {
  const [contents, states] = await Promise.all([
    table.findMany(entries.map(({ id }) => commentKey(id))),
    table.findMany(entries.map(({ post_id, path }) => threadKey(post_id, path))),
  ])
  const contentById = new Map(
    contents.map(item => CommentContent.parse(item)).map(content => [content.id, content]),
  )
  const stateById = new Map(states.map(item => CommentState.parse(item)).map(state => [state.id, state]))
  return entries.flatMap(({ id }) => {
    const [content, state] = [contentById.get(id), stateById.get(id)]
    return content && state ? [{ content, status: state.status }] : []
  })
}

export async function commentViews(table: Table, entries: CommentEntry[]): Promise<Comment[]> {
  const [comments, authors] = await Promise.all([
    readComments(table, entries),
    findAuthors(table, usersOf(entries)),
  ])
  return comments.map(({ content, status }) => commentView(content, status, authors))
}

/** Leaves out comments that are not approved any more, though the list still has them. */
export async function publicViews(table: Table, entries: CommentEntry[]): Promise<Comment[]> {
  return (await commentViews(table, entries)).filter(({ status }) => status === 'approved')
}

const PostSlug = z.object({ id: z.int(), slug: z.string() })
const UserNames = z.object({
  id: z.int(),
  name: z.string(),
  avatar: z.nullable(z.string()),
  email: z.string(),
})

/** The current names of users, and their e-mail addresses for admins. */
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

export async function adminViews(table: Table, entries: CommentEntry[]): Promise<AdminComment[]> {
  const postIds = [...new Set(entries.map(({ post_id }) => post_id))]
  const [comments, names, posts] = await Promise.all([
    readComments(table, entries),
    findNames(table, entries),
    table.findMany(postIds.map(postKey)),
  ])
  const slugs = new Map(posts.map(item => PostSlug.parse(item)).map(({ id, slug }) => [id, slug]))
  return comments.flatMap(({ content, status }) => {
    const slug = slugs.get(content.post_id)
    return slug === undefined ? [] : [adminView(content, status, { ...names, slug })]
  })
}
