// The views of a comment. No I/O.
import type { Author } from '../accounts/author.ts'
import { isoTime } from '../http/time.ts'
import { type CommentContent, parentOf } from './comment.ts'
import type { AdminComment, Comment, Status } from './contract.ts'

/** The profile behind a comment; a guest gave a name. */
export type Authors = Map<number, Author>

export function authorOf({ user_id, guest }: CommentContent, authors: Authors) {
  const author = user_id === null ? undefined : authors.get(user_id)
  return { name: author?.name ?? guest?.name ?? '', avatar: author?.avatar ?? null }
}

export function commentView(words: CommentContent, status: Status, authors: Authors): Comment {
  return {
    id: words.id,
    post_id: words.post_id,
    parent_id: parentOf(words),
    author: authorOf(words, authors),
    body: words.body,
    status,
    created_at: isoTime(words.created_at),
  }
}

type Beside = { authors: Authors; emails: Map<number, string>; slug: string }

export function adminView(
  words: CommentContent,
  status: Status,
  { authors, emails, slug }: Beside,
): AdminComment {
  return {
    ...commentView(words, status, authors),
    user_id: words.user_id,
    author_email: words.guest?.email ?? emails.get(words.user_id ?? 0) ?? '',
    post_slug: slug,
  }
}
