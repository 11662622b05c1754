// Builds posts for tests of the rules.
import { newPost, type Post } from '../../shared/posts/post.ts'

export const NOW_SECONDS = Date.parse('2026-05-26T15:00:00Z') / 1000

/** A draft that was created a day ago, with the members that the case sets. */
export function aPost(members: Partial<Post> = {}): Post {
  return {
    ...newPost({ title: 'Title' }, { id: 7, slug: 'title', authorId: 1, nowSeconds: NOW_SECONDS - 86_400 }),
    ...members,
  }
}

export function draft(members: Partial<Post> = {}) {
  return aPost(members)
}

export function live(members: Partial<Post> = {}) {
  return aPost({ is_published: true, posted_at: NOW_SECONDS - 60, announced: true, ...members })
}

export function scheduled(members: Partial<Post> = {}) {
  return aPost({ is_published: true, posted_at: NOW_SECONDS + 60, ...members })
}

/** Due, but not announced. */
export function overdue(members: Partial<Post> = {}) {
  return live({ announced: false, ...members })
}
