// Keys of counted lists: root, inner nodes and entries are in one partition.
import type { Kind } from '../kinds.ts'
import { key } from './parts.ts'

export function listPartition(list: string): string {
  return `${'LIST' satisfies Kind}#${list}`
}

export function rootKey(list: string) {
  return key('LIST', list, 'ROOT')
}

export function innerNodeKey(list: string, from: string) {
  return key('LIST', list, `M#${from}`)
}

export function entryKey(list: string, order: string) {
  return key('LIST', list, `E#${order}`)
}

/** The order of an entry by its sort key; undefined for a node. */
export function orderIn(sk: string): string | undefined {
  return sk.startsWith('E#') ? sk.slice(2) : undefined
}

/** Above the sort key of every entry and below all else in a list's partition, where entries come first. */
export const ENTRIES_END = 'E$'
