// The record of an imported post, with the dates and the version that it had. No I/O.
import { createHash } from 'node:crypto'
import { excerptOf, readingTimeOf } from '../../../../shared/posts/html-text.ts'
import { isLive, type Post } from '../../../../shared/posts/post.ts'
import type { PostItem } from '../item.ts'

export type References = { id: number; author_id: number; category_ids: number[] }

/** `text`: that of the body. Its publication counts as announced if it is public already. */
export function postRecord(
  { body, excerpt, reading_time, ...members }: PostItem['value'],
  references: References,
  text: string,
  nowSeconds: number,
): Post {
  const { is_published, posted_at, short_description, version, created_at } = members
  const date = is_published ? (posted_at ?? created_at) : posted_at
  return {
    ...members,
    ...references,
    posted_at: date,
    excerpt: excerpt ?? (short_description || excerptOf(text)),
    reading_time: reading_time ?? readingTimeOf(text),
    body_version: version,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    announced: isLive({ is_published, posted_at: date }, nowSeconds),
    revision: 1,
    schema: 1,
  }
}
