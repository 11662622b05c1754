// Keys of public content and of what readers write: posts, comments, tickets, messages, settings, changes.
import type { Kind } from '../kinds.ts'
import { type Key, key, keysOf, sha256, sortable } from './parts.ts'

export const postKey = keysOf<number>('POST')
export const slugKey = keysOf<string>('SLUG')
export const categorySlugKey = keysOf<string>('CATEGORYSLUG')
export const commentKey = keysOf<number>('COMMENT')
/** By the id of the user who wrote the comments. */
export const pendingKey = keysOf<number>('PENDING')
export const newsletterKey = keysOf<number>('NEWSLETTER')
export const submissionKey = keysOf<number>('CONTACT')
export const ticketKey = keysOf<number>('TICKET')

export function bodyKey(id: number) {
  return key('POST', id, 'BODY')
}

export function blobPartKey(blob: string, n: number) {
  return key('CHUNK', `${blob}#${n}`, 'CHUNK')
}

/** The name of the blob in the partition key of one of its parts. */
export function blobIn(name: string): string {
  return name.slice(0, name.lastIndexOf('#'))
}

export const LEFTOVER_PARTITION = 'LEFTOVER' satisfies Kind

export function leftoverKey(dueMs: number, blob: string): Key {
  return { pk: LEFTOVER_PARTITION, sk: `${sortable(dueMs)}#${blob}` }
}

export const SCHEDULED_PARTITION = 'SCHEDULED' satisfies Kind

/** Makes years before 1970 positive (year 0 is -62,167,219,200). */
const SHIFT_SECONDS = 100_000_000_000

/** Sorts by time, then id. */
export function timeOrder(epochSeconds: number, id: number): string {
  return `${sortable(epochSeconds + SHIFT_SECONDS)}#${sortable(id)}`
}

/** The epoch seconds in a `timeOrder`. */
export function secondsIn(order: string): number {
  return Number.parseInt(order, 10) - SHIFT_SECONDS
}

export function scheduledKey(epochSeconds: number, id: number): Key {
  return { pk: SCHEDULED_PARTITION, sk: timeOrder(epochSeconds, id) }
}

export const CATEGORY_PARTITION = 'CATEGORIES' satisfies Kind

export function categoryKey(id: number): Key {
  return { pk: CATEGORY_PARTITION, sk: sortable(id) }
}

export const categoryTotalsKey: Key = { pk: 'CATEGORYTOTALS' satisfies Kind, sk: 'CATEGORYTOTALS' }

/** The ids from the root comment down: a comment sorts right before its replies. */
export function threadKey(postId: number, path: number[]) {
  return key('THREAD', postId, path.map(sortable).join('/'))
}

export function newsletterEmailKey(foldedEmail: string) {
  return key('NEWSLETTEREMAIL', sha256(foldedEmail), 'NEWSLETTEREMAIL')
}

/** The description has an item of its own: an update costs by the size of the whole item. */
export function descriptionKey(ticketId: number) {
  return key('TICKET', ticketId, 'DESCRIPTION')
}

export const REPLY_PREFIX = 'REPLY#'

export function replyKey(ticketId: number, id: number) {
  return key('TICKET', ticketId, `${REPLY_PREFIX}${sortable(id)}`)
}

export const settingsKey: Key = { pk: 'SETTINGS' satisfies Kind, sk: 'SETTINGS' }

export const MENUS_PARTITION = 'MENUS' satisfies Kind

export function menuKey(location: string): Key {
  return { pk: MENUS_PARTITION, sk: location }
}

export const CHANGES_PARTITION = 'CHANGES' satisfies Kind

/** Places rise with every change of public content. */
export function changeKey(place: number): Key {
  return { pk: CHANGES_PARTITION, sk: sortable(place) }
}

export const versionKey: Key = { pk: 'VERSION' satisfies Kind, sk: 'VERSION' }
