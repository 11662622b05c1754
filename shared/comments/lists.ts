// The lists that a comment is in. Every list is in the order of ids, which only rise. No I/O.
import type { List, ListEntry } from '../lists/counted-list.ts'
import { rootKey, sortable } from '../table/design.ts'
import type { CommentState } from './comment.ts'
import { STATUSES, type Status } from './contract.ts'

function fixed(name: string, order: List['order']): List {
  return {
    name: `comments:${name}`,
    order,
    root: rootKey(`comments:${name}`),
    fixed: true,
  }
}

/** The approved comments of a post. */
export function publicList(postId: number): List {
  return fixed(`post:${postId}`, 'ascending')
}

export function ownList(userId: number): List {
  return fixed(`user:${userId}`, 'descending')
}

export function adminList(status: Status | undefined): List {
  return fixed(status ?? 'all', 'descending')
}

/** Every list of comments; a function stands for one list per id. The doctor checks these. */
export function listsOfComments() {
  return [publicList, ownList, ...[undefined, ...STATUSES].map(adminList)]
}

export function orderOf({ id }: Pick<CommentState, 'id'>): string {
  return sortable(id)
}

/** Entries only refer to the comment: its text is too long for a list, and its status changes. */
export function listEntriesOf(state: CommentState): ListEntry[] {
  const { id, post_id, path, user_id } = state
  const entryOf = (list: List): ListEntry => ({
    list,
    order: orderOf(state),
    item: { id, post_id, path, user_id },
  })
  return [
    adminList(undefined),
    adminList(state.status),
    ...(user_id === null ? [] : [ownList(user_id)]),
    ...(state.status === 'approved' ? [publicList(post_id)] : []),
  ].map(entryOf)
}
