// Building blocks of keys, and the keys of counted lists.
import { createHash } from 'node:crypto'
import type { Kind } from '../kinds.ts'

/** The two key attributes that every item has. */
export type Key = { pk: string; sk: string }
export type Item = Key & Record<string, unknown>

/** Ids and times sort as text. 16 digits hold every safe integer. */
export function sortable(n: number): string {
  return String(n).padStart(16, '0')
}

export function key(kind: Kind, name: string | number, sk: string): Key {
  return { pk: `${kind}#${name}`, sk }
}

/**
 * The keys of a kind of record by its id or name, of which its kind is the sort key.
 * @__NO_SIDE_EFFECTS__ A bundle leaves out those that it does not use.
 */
export function keysOf<Name extends string | number>(kind: Kind): (name: Name) => Key {
  return name => key(kind, name, kind)
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** The kind in a partition key. */
export function kindOf(pk: string): string {
  return pk.split('#', 1)[0] ?? ''
}

export function nameIn(pk: string): string {
  return pk.slice(kindOf(pk).length + 1)
}

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
