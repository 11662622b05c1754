// What the feed notes of a change of a post. No I/O.
import type { PostNote } from '../feed/note.ts'
import { isLive, type Post } from './post.ts'

/** Undefined if no reader sees the change: drafts and scheduled posts are no public content. */
export function noteOf(before: Post | null, after: Post | null, nowSeconds: number): PostNote | undefined {
  const [was, is] = [livePost(before, nowSeconds), livePost(after, nowSeconds)]
  const id = was?.id ?? is?.id
  if (id === undefined) return undefined
  const [left, entered] = [was, is].map(post => new Set(post ? categoriesOf(post) : []))
  return {
    kind: 'post',
    id,
    ...(is && { type: is.content_type }),
    ...(was && { was: { type: was.content_type, slug: was.slug } }),
    counted: left && entered ? [...left.symmetricDifference(entered)] : [],
  }
}

/** Of a scheduled post that has become due. */
export function dueNote(post: Post): PostNote {
  return { kind: 'post', id: post.id, type: post.content_type, counted: categoriesOf(post) }
}

function livePost(post: Post | null, nowSeconds: number): Post | null {
  return post && isLive(post, nowSeconds) ? post : null
}

/** Categories count posts, and no pages. */
function categoriesOf({ content_type, category_ids }: Post): number[] {
  return content_type === 'post' ? category_ids : []
}
