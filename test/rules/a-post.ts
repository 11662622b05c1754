// A post as the rules see it, for tables of cases.
import { newPost, type Post } from '../../shared/posts/post.ts'

export const NOW = Date.parse('2026-05-26T15:00:00Z') / 1000

/** A draft of a day ago; whatever a case names is put over it. */
export const aPost = (over: Partial<Post> = {}): Post => ({
  ...newPost({ title: 'Title' }, { id: 7, slug: 'title', authorId: 1, now: NOW - 86_400 }),
  ...over,
})

export const draft = (over: Partial<Post> = {}) => aPost(over)
export const live = (over: Partial<Post> = {}) =>
  aPost({ is_published: true, posted_at: NOW - 60, announced: true, ...over })
export const scheduled = (over: Partial<Post> = {}) =>
  aPost({ is_published: true, posted_at: NOW + 60, ...over })
/** Its time has come and nobody has said so. */
export const overdue = (over: Partial<Post> = {}) => live({ announced: false, ...over })
