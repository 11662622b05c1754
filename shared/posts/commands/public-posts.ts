// Counts the public posts and pages of each author: the name of an author without any is no public content.
import { addToPublicPosts } from '../../accounts/commands/public-author.ts'
import type { Action } from '../../table/action.ts'
import type { Post } from '../post.ts'

/** A scheduled post counts from its announcement on. */
export function isCountedAsPublic(post: Pick<Post, 'is_published' | 'announced'>): boolean {
  return post.is_published && post.announced
}

export function countPublicPosts(writes: { before: Post | null; after: Post | null }[]): Action[] {
  const changes = new Map<number, number>()
  const add = (post: Post | null, count: number) => {
    if (!post || !isCountedAsPublic(post)) return
    changes.set(post.author_id, (changes.get(post.author_id) ?? 0) + count)
  }
  for (const { before, after } of writes) {
    add(before, -1)
    add(after, 1)
  }
  return [...changes].flatMap(([id, count]) => (count === 0 ? [] : [addToPublicPosts(id, count)]))
}
