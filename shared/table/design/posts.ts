// Keys of posts, their bodies, slugs and schedule, and of categories.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, sortable } from './parts.ts'

export function postKey(id: number) {
  return key('POST', id, 'POST')
}

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
  return {
    pk: LEFTOVER_PARTITION,
    sk: `${sortable(dueMs)}#${blob}`,
  }
}

export function slugKey(slug: string) {
  return key('SLUG', slug, 'SLUG')
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
  return {
    pk: SCHEDULED_PARTITION,
    sk: timeOrder(epochSeconds, id),
  }
}

export const CATEGORY_PARTITION = 'CATEGORIES' satisfies Kind

export function categoryKey(id: number): Key {
  return { pk: CATEGORY_PARTITION, sk: sortable(id) }
}

export const categoryTotalsKey: Key = { pk: 'CATEGORYTOTALS' satisfies Kind, sk: 'CATEGORYTOTALS' }

export function categorySlugKey(slug: string) {
  return key('CATEGORYSLUG', slug, 'CATEGORYSLUG')
}
