// The data of the events that a comment fires. No I/O.
import type { EventData } from '../events/catalogue.ts'
import { type CommentContent, parentOf } from './comment.ts'
import type { Status } from './contract.ts'
import { type Authors, authorOf } from './view.ts'

export function commentData(
  content: CommentContent,
  status: Status,
  { authors, slug, siteUrl }: { authors: Authors; slug: string; siteUrl: string },
): EventData<'comment.created'> {
  return {
    id: content.id,
    post_id: content.post_id,
    slug,
    url: `${siteUrl}/blog/${encodeURIComponent(slug)}#comment-${content.id}`,
    parent_id: parentOf(content),
    status,
    author_name: authorOf(content, authors).name,
  }
}
