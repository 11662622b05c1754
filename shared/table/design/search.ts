// Keys of the search index.
import type { Kind } from '../kinds.ts'
import { timeOrder } from './content.ts'
import { type Key, key, keysOf, sortable } from './parts.ts'

export const docKey = keysOf<number>('DOC')

/** The document that a later one has replaced, until the segments contain the later one. */
export function replacedDocKey(postId: number, revision: number) {
  return key('DOC', postId, sortable(revision))
}

/** The document of a scheduled post, until it is announced. */
export function dueDocKey(postId: number) {
  return key('DOC', postId, 'DUE')
}

/** One query reads the state of the index. */
export const INDEX_PARTITION = 'INDEX' satisfies Kind

export const manifestKey: Key = { pk: INDEX_PARTITION, sk: 'MANIFEST' }

/** Held by a rebuild of the index. */
export const rebuildLockKey: Key = { pk: INDEX_PARTITION, sk: 'REBUILDING' }

const PENDING = 'PENDING#'
/** Sorts after everything else in the partition, so that a query ends before what is not due. */
const DUE = 'WHEN#'

/** The marker of a change that the segments may not contain yet. */
export function markerKey(postId: number, revision: number): Key {
  return { pk: INDEX_PARTITION, sk: `${PENDING}${postId}#${revision}` }
}

/** The marker of a scheduled post, until it is announced. */
export function dueMarkerKey(epochSeconds: number, postId: number): Key {
  return { pk: INDEX_PARTITION, sk: `${DUE}${timeOrder(epochSeconds, postId)}` }
}

/** The end of the partition without the markers of scheduled posts, or without those that are not due. */
export function endOfMarkers(nowSeconds?: number): string {
  return nowSeconds === undefined ? DUE : `${DUE}${timeOrder(nowSeconds + 1, 0)}`
}

/** The id of the scheduled post; undefined for another item of the partition. */
export function dueIdIn(sk: string): number | undefined {
  return sk.startsWith(DUE) ? Number(sk.split('#').at(-1)) : undefined
}

/** The post and the revision of a marker; undefined for another item of the partition. */
export function markerIn(sk: string): { id: number; revision: number } | undefined {
  if (!sk.startsWith(PENDING)) return undefined
  const [id, revision] = sk.split('#').slice(1).map(Number)
  return id !== undefined && revision !== undefined ? { id, revision } : undefined
}

/** Each item of a segment is in a partition of its own. */
export function segmentItemKey(segment: string, n: number) {
  return key('SEGMENT', `${segment}#${n}`, 'SEGMENT')
}
