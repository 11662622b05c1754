// Builds a post for tests of the rules.
import { newPost, type Post } from '../../shared/posts/post.ts'

export const NOW_SECONDS = Date.parse('2026-05-26T15:00:00Z') / 1000

/** A draft that was created a day ago, with the members that the case sets. */
export function aPost(members: Partial<Post> = {}): Post {
  return {
    ...newPost({ title: 'Title' }, { id: 7, slug: 'title', authorId: 1, nowSeconds: NOW_SECONDS - 86_400 }),
    ...members,
  }
}
