// What one scan keeps of records and their dependents: a sum for each record, and 0 for one whose dependents
// are exactly those that it expects. So neither a record is read for its dependents, nor the other way round.
import { hash } from 'node:crypto'
import type { Item, Key } from '../../../shared/table/key.ts'
import { canonical, contentOf, keyText } from './expected-items.ts'

export type Balances = ReturnType<typeof openBalances>

/** Keeps sums of digests of six bytes within the safe integers. */
const MODULUS = 2 ** 50
const DIGEST_BYTES = 6

export function openBalances() {
  /** By the text of the record's key, without those that are 0. */
  const sums = new Map<string, number>()

  const add = (record: Key, value: number): void => {
    const text = keyText(record)
    const sum = ((sums.get(text) ?? 0) + value) % MODULUS
    if (sum === 0) {
      sums.delete(text)
    } else {
      sums.set(text, sum)
    }
  }

  return {
    /** The record, which the scan has read, expects this item. */
    expect: (record: Key, item: Item, compared: string[] | undefined) =>
      add(record, digestOf(item, compared)),
    /** The scan has read this item, which names the record as its owner. */
    find: (record: Key, item: Item, compared: string[] | undefined) => add(record, -digestOf(item, compared)),
    /** Whether the dependents of the record differ, or changed during the scan. */
    isOff: (record: Key) => sums.has(keyText(record)),
    countOff: () => sums.size,
  }
}

function digestOf(item: Item, compared: string[] | undefined): number {
  const text = `${keyText(item)} ${canonical(contentOf(item, compared))}`
  return hash('sha1', text, 'buffer').readUIntBE(0, DIGEST_BYTES)
}
