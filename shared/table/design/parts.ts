// Building blocks of keys, and how to read a kind or a name from a key.
import { createHash } from 'node:crypto'
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'

/** Ids and times sort as text. 16 digits hold every safe integer. */
export function sortable(n: number): string {
  return String(n).padStart(16, '0')
}

export function key(kind: Kind, name: string | number, sk: string): Key {
  return { pk: `${kind}#${name}`, sk }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The kind in a partition key. */
export function kindOf(pk: string): string {
  return pk.split('#', 1)[0] ?? ''
}

export function nameIn(pk: string): string {
  return pk.slice(kindOf(pk).length + 1)
}
