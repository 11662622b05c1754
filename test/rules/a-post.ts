// A post as the rules see it, for tables of cases.
import { newPost, type Post } from '../../shared/posts/post.ts'

export const NOW = Date.parse('2026-05-26T15:00:00Z') / 1000

/** A draft of a day ago; whatever a case names is put over it. */
export function aPost(over: Partial<Post> = {}): Post {
  return {
    ...newPost({ title: 'Title' }, { id: 7, slug: 'title', authorId: 1, nowSeconds: NOW - 86_400 }),
    ...over,
  }
}

export function draft(over: Partial<Post> = {}) {
  return aPost(over)
}

export function live(over: Partial<Post> = {}) {
  return aPost({ is_published: true, posted_at: NOW - 60, announced: true, ...over })
}

export function scheduled(over: Partial<Post> = {}) {
  return aPost({ is_published: true, posted_at: NOW + 60, ...over })
}

/** Its time has come and nobody has said so. */
export function overdue(over: Partial<Post> = {}) {
  return live({ announced: false, ...over })
}
