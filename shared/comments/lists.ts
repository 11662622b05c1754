// Where a comment stands: the lists it is in. Ids only rise, so they are the order of every list.
import type { List, ListEntry } from '../lists/counted-list.ts'
import { rootKey, sortable } from '../table/design.ts'
import type { CommentState } from './comment.ts'
import type { Status } from './contract.ts'

function fixed(name: string, order: List['order']): List {
  return {
    name: `comments:${name}`,
    order,
    root: rootKey(`comments:${name}`),
    fixed: true,
  }
}

/** What readers of a post see. */
export function publicList(postId: number): List {
  return fixed(`post:${postId}`, 'ascending')
}

export function ownList(userId: number): List {
  return fixed(`user:${userId}`, 'descending')
}

export function adminList(status: Status | undefined): List {
  return fixed(status ?? 'all', 'descending')
}

export function orderOf({ id }: Pick<CommentState, 'id'>): string {
  return sortable(id)
}

/** Entries only point to the comment: its words are long, and its status is not in them. */
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
    ...(state.is_listed ? [publicList(post_id)] : []),
  ].map(entryOf)
}

/** Without the public list, which goes as a whole when its post is gone. */
export function listEntriesOutsidePost(state: CommentState): ListEntry[] {
  return listEntriesOf({ ...state, is_listed: false })
}
