// What the feed notes of a change of a post. No I/O.
import type { PostNote } from '../feed/note.ts'
import type { Post } from './post.ts'

/** Undefined if no reader can see the change: drafts are no public content. */
export function noteOf(before: Post | null, after: Post | null, nowSeconds: number): PostNote | undefined {
  const [was, is] = [published(before), published(after)]
  const id = before?.id ?? after?.id
  if (id === undefined || (!was && !is)) return undefined
  return {
    kind: 'post',
    id,
    ...(is && { type: is.content_type }),
    ...(was && { was: { type: was.content_type, slug: was.slug, since: was.posted_at } }),
    counted: countedIn(was, is, nowSeconds),
  }
}

/** Of a scheduled post that has become due. */
export function dueNote(post: Post): PostNote {
  return { kind: 'post', id: post.id, type: post.content_type, counted: categoriesOf(post) }
}

type PublishedPost = Post & { posted_at: number }

function published(post: Post | null): PublishedPost | null {
  return post?.is_published && post.posted_at !== null ? { ...post, posted_at: post.posted_at } : null
}

/** Categories count posts, and no pages. */
function categoriesOf({ content_type, category_ids }: Post): number[] {
  return content_type === 'post' ? category_ids : []
}

/** The categories that the post leaves or enters, or in which it becomes visible or hidden. */
function countedIn(was: PublishedPost | null, is: PublishedPost | null, nowSeconds: number): number[] {
  const [left, entered] = [was, is].map(post => new Set(post ? categoriesOf(post) : []))
  if (!left || !entered) return []
  const isSameView = was?.posted_at === is?.posted_at || (isDue(was, nowSeconds) && isDue(is, nowSeconds))
  return [...(isSameView ? left.symmetricDifference(entered) : left.union(entered))]
}

function isDue(post: PublishedPost | null, nowSeconds: number): boolean {
  return post !== null && post.posted_at <= nowSeconds
}
