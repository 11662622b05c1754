// Keys of the search index.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, sortable } from './parts.ts'

export function docKey(postId: number) {
  return key('DOC', postId, 'DOC')
}

export const UNINDEXED_PARTITION = 'UNINDEXED' satisfies Kind

export function unindexedKey(postId: number): Key {
  return { pk: UNINDEXED_PARTITION, sk: sortable(postId) }
}

/** Its first holder was the rebuild of the index; now every writer takes it. */
export const writerLockKey: Key = { pk: 'REBUILDING' satisfies Kind, sk: 'REBUILDING' }

/** Terms with the same first characters share a partition. `start` has at most three characters. */
export function termKey(start: string, term: string) {
  return key('TERM', start, term)
}

export function postingsPartition(term: string): string {
  return `${'POSTINGS' satisfies Kind}#${term}`
}

/** Blocks sort as their postings: heaviest level first, then newest first. */
export function postingsKey(term: string, order: { level: number; seconds: number; id: number }) {
  return key('POSTINGS', term, `${order.level}#${sortable(order.seconds)}#${sortable(order.id)}`)
}
