// Where a user stands: by id for whoever reads all, by name and by address for whoever looks one up.
import type { List, Place } from '../table/counted-list.ts'
import { rootKey, sortable } from '../table/design.ts'
import { textOrder } from '../table/text-order.ts'
import { sameCase, type User } from './user.ts'

const ascending = (name: string): List => ({ name, order: 'ascending', root: rootKey(name), fixed: true })

export const USERS = ascending('users')
export const USERS_BY_NAME = ascending('users:name')
export const USERS_BY_EMAIL = ascending('users:email')

/** An address is unique and short enough for a sort key, so it is its own order. */
export const placesOf = (user: User): Place[] => [
  { list: USERS, order: sortable(user.id), item: user },
  { list: USERS_BY_NAME, order: textOrder(user.name, user.id), item: user },
  { list: USERS_BY_EMAIL, order: sameCase(user.email), item: user },
]
