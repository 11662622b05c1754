// The views of a comment. No I/O.
import { type Author, nameOf } from '../accounts/author.ts'
import { isoTime } from '../http/time.ts'
import { type CommentContent, parentOf } from './comment.ts'
import type { AdminComment, Comment, Status } from './contract.ts'

/** Profiles by user id. The name of a guest is in the comment itself. */
export type Authors = Map<number, Author>

export function authorOf({ user_id, guest }: CommentContent, authors: Authors) {
  if (user_id === null) return { name: guest?.name ?? '', avatar: null }
  const author = authors.get(user_id)
  return { name: nameOf(author), avatar: author?.avatar ?? null }
}

export function commentView(content: CommentContent, status: Status, authors: Authors): Comment {
  return {
    id: content.id,
    post_id: content.post_id,
    parent_id: parentOf(content),
    author: authorOf(content, authors),
    body: content.body,
    status,
    created_at: isoTime(content.created_at),
  }
}

type AdminDetails = { authors: Authors; emails: Map<number, string>; slug: string }

export function adminView(
  content: CommentContent,
  status: Status,
  { authors, emails, slug }: AdminDetails,
): AdminComment {
  return {
    ...commentView(content, status, authors),
    user_id: content.user_id,
    author_email: content.guest?.email ?? emails.get(content.user_id ?? 0) ?? '',
    post_slug: slug,
  }
}
