// The list entries of a user: by id, and by name and by address for the search of admins. No I/O.
import { caselessEmail, foldedEmail, readableEmail } from '../http/email.ts'
import type { List, ListEntry } from '../lists/counted-list.ts'
import { cut, prefixOrder, textOrder } from '../lists/text-order.ts'
import { rootKey, sortable } from '../table/design.ts'
import { type User, UserEntry } from './user.ts'

function ascending(name: string) {
  return { name, order: 'ascending', root: rootKey(name), fixed: true } satisfies List
}

export const USERS = ascending('users')
export const USERS_BY_NAME = ascending('users:name')
export const USERS_BY_EMAIL = ascending('users:email')

/** Every list of users. The doctor checks these. */
export function listsOfUsers() {
  return [USERS, USERS_BY_NAME, USERS_BY_EMAIL]
}

/** An address is unique in any spelling and fits a sort key, so it is its own order. */
export function listEntriesOf(user: User): ListEntry[] {
  const item = UserEntry.parse(user)
  return [
    { list: USERS, order: sortable(user.id), item },
    { list: USERS_BY_NAME, order: textOrder(user.name, user.id), item },
    { list: USERS_BY_EMAIL, order: caselessEmail(user.email), item },
  ]
}

/** The longest valid address; a text of this length always fits a sort key. */
const LONGEST_ADDRESS = 254

/**
 * The parts of a list with the users whose address (if the text has an @) or name begins with the text. The
 * text as given comes first, then its host in other spellings.
 */
export function searchRanges(beginning: string) {
  if (!beginning.includes('@')) return [{ list: USERS_BY_NAME, prefix: prefixOrder(beginning) }]
  const folded = foldedEmail(beginning)
  const spellings = new Set([caselessEmail(beginning), folded, readableEmail(folded)])
  return [...spellings].map(text => ({ list: USERS_BY_EMAIL, prefix: cut(text, LONGEST_ADDRESS) }))
}
