// Keys of comments and threads.
import type { Kind } from '../kinds.ts'
import { key, sortable } from './parts.ts'

export function commentKey(id: number) {
  return key('COMMENT', id, 'COMMENT')
}

export function threadPartition(postId: number): string {
  return `${'THREAD' satisfies Kind}#${postId}`
}

/** The ids from the root comment down: a comment sorts right before its replies. */
export function threadKey(postId: number, path: number[]) {
  return key('THREAD', postId, path.map(sortable).join('/'))
}

export function pendingKey(userId: number) {
  return key('PENDING', userId, 'PENDING')
}
