// Keys of counted lists: root, inner nodes and entries are in one partition. Only the root of a category's
// list is elsewhere: it is the category's record.
import type { Kind } from '../kinds.ts'
import { key } from './parts.ts'

export function listPartition(list: string): string {
  return `${'LIST' satisfies Kind}#${list}`
}

export function rootKey(list: string) {
  return key('LIST', list, 'ROOT')
}

export function innerNodeKey(list: string, from: string) {
  return key('LIST', list, `NODE#${from}`)
}

export function entryKey(list: string, order: string) {
  return key('LIST', list, `E#${order}`)
}

/** The order key of an entry; undefined for a node. */
export function orderIn(sk: string): string | undefined {
  return sk.startsWith('E#') ? sk.slice(2) : undefined
}

/** Sorts after every entry and before all nodes of a list's partition. */
export const ENTRIES_END = 'E$'
