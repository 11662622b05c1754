// Where a user stands: by id for whoever reads all, by name and by address for whoever looks one up.
import type { List, Place } from '../table/counted-list.ts'
import { rootKey, sortable } from '../table/design.ts'
import { cut, prefixOrder, textOrder } from '../table/text-order.ts'
import { sameCase, type User, UserEntry } from './user.ts'

const ascending = (name: string) =>
  ({ name, order: 'ascending', root: rootKey(name), fixed: true }) satisfies List

export const USERS = ascending('users')
export const USERS_BY_NAME = ascending('users:name')
export const USERS_BY_EMAIL = ascending('users:email')

/** An address is unique and short enough for a sort key, so it is its own order. */
export const placesOf = (user: User): Place[] => {
  const item = UserEntry.parse(user)
  return [
    { list: USERS, order: sortable(user.id), item },
    { list: USERS_BY_NAME, order: textOrder(user.name, user.id), item },
    { list: USERS_BY_EMAIL, order: sameCase(user.email), item },
  ]
}

/** No address is longer, and any text of this length fits a sort key. */
const LONGEST_ADDRESS = 254

/** Where those stand whose address (with an @) or name begins so. */
export const rangeOf = (beginning: string) =>
  beginning.includes('@')
    ? { list: USERS_BY_EMAIL, prefix: cut(sameCase(beginning), LONGEST_ADDRESS) }
    : { list: USERS_BY_NAME, prefix: prefixOrder(beginning) }
