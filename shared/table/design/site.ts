// Keys of newsletter subscribers, contact messages, tickets, settings, menus, and of changes of content.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, sha256, sortable } from './parts.ts'

export function newsletterKey(id: number) {
  return key('NEWSLETTER', id, 'NEWSLETTER')
}

export function newsletterEmailKey(foldedEmail: string) {
  return key('NEWSLETTEREMAIL', sha256(foldedEmail), 'NEWSLETTEREMAIL')
}

export function submissionKey(id: number) {
  return key('CONTACT', id, 'CONTACT')
}

export function ticketKey(id: number) {
  return key('TICKET', id, 'TICKET')
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

/** Sorts before every location, which starts with a hyphen, a digit or a letter. */
export const menusSizeKey = menuKey('#BYTES')

export const MENUS_BEGIN = '-'

export const CHANGES_PARTITION = 'CHANGES' satisfies Kind

/** Places rise with every change of public content. */
export function changeKey(place: number): Key {
  return { pk: CHANGES_PARTITION, sk: sortable(place) }
}

export const versionKey: Key = { pk: 'VERSION' satisfies Kind, sk: 'VERSION' }
