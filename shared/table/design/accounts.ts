// Keys of users, their tokens, profiles, passwords and addresses.
import { key, sha256, sortable } from './parts.ts'

export function userKey(id: number) {
  return key('USER', id, 'USER')
}

export const TOKEN_PREFIX = 'TOKEN#'

export function tokenKey(userId: number, id: number) {
  return key('USER', userId, `${TOKEN_PREFIX}${sortable(id)}`)
}

/** Above the sort key of every token. */
export const TOKENS_END = `${TOKEN_PREFIX}:`

export function authorKey(id: number) {
  return key('AUTHOR', id, 'AUTHOR')
}

export function passwordKey(userId: number) {
  return key('PASSWORD', userId, 'PASSWORD')
}

export function emailKey(foldedEmail: string) {
  return key('EMAIL', sha256(foldedEmail), 'EMAIL')
}
