// The payload of the events that a comment fires.

import type { EventData } from '../events/catalogue.ts'
import { type CommentContent, parentOf } from './comment.ts'
import type { Status } from './contract.ts'
import { type Authors, authorOf } from './view.ts'

export function commentData(
  words: CommentContent,
  status: Status,
  { authors, slug, siteUrl }: { authors: Authors; slug: string; siteUrl: string },
): EventData<'comment.created'> {
  return {
    id: words.id,
    post_id: words.post_id,
    slug,
    url: `${siteUrl}/blog/${encodeURIComponent(slug)}#comment-${words.id}`,
    parent_id: parentOf(words),
    status,
    author_name: authorOf(words, authors).name,
  }
}
