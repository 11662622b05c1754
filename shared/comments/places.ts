// Where a comment stands: the lists it is in. Ids only rise, so they are the order of every list.
import type { List, Place } from '../table/counted-list.ts'
import { rootKey, sortable } from '../table/design.ts'
import type { Standing } from './comment.ts'
import type { Status } from './contract.ts'

const fixed = (name: string, order: List['order']): List => ({
  name: `comments:${name}`,
  order,
  root: rootKey(`comments:${name}`),
  fixed: true,
})

/** What readers of a post see. */
export const publicList = (postId: number): List => fixed(`post:${postId}`, 'ascending')
export const ownList = (userId: number): List => fixed(`user:${userId}`, 'descending')
export const adminList = (status: Status | undefined): List => fixed(status ?? 'all', 'descending')

export const orderOf = ({ id }: Pick<Standing, 'id'>): string => sortable(id)

/** Entries only point to the comment: its words are long, and its status is not in them. */
export const placesOf = (standing: Standing): Place[] => {
  const { id, post_id, path, user_id } = standing
  const place = (list: List): Place => ({
    list,
    order: orderOf(standing),
    item: { id, post_id, path, user_id },
  })
  return [
    adminList(undefined),
    adminList(standing.status),
    ...(user_id === null ? [] : [ownList(user_id)]),
    ...(standing.is_listed ? [publicList(post_id)] : []),
  ].map(place)
}

/** Without the public list, which goes as a whole when its post is gone. */
export const placesBesidePost = (standing: Standing): Place[] => placesOf({ ...standing, is_listed: false })
