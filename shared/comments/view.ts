// How the API shows a comment: to readers and its author, and to admins. No I/O.
import { isoTime } from '../http/time.ts'
import { type Authors, authorOf, type CommentContent, parentOf, type Status } from './comment.ts'
import type { AdminComment, Comment } from './contract.ts'

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
