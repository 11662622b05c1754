// One pass over all items. It keeps names and doubts, never contents, so that a large site fits into memory.
import type { Table } from '../../../shared/table/client.ts'
import { kindOf, nameIn } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Progress } from '../progress.ts'
import { type Blobs, noBlobs, noteBlobs } from './blobs.ts'
import type { Suspect } from './examine.ts'
import type { Finding } from './finding.ts'
import { type IndexSums, noSums, noteIndex } from './index-sums.ts'
import { look } from './look.ts'
import { PARTITIONS } from './partitions.ts'
import { textOf } from './record.ts'

export type Partition = { kind: string; id: number }

export type Seen = {
  items: number
  records: number
  /** By their names. */
  lists: Set<string>
  /** Partitions that are looked at as a whole, by the text of their keys. */
  partitions: Map<string, Partition>
  /** By the text of the record's key. */
  suspects: Map<string, Suspect>
  blobs: Blobs
  index: IndexSums
  findings: Finding[]
}

export async function passOver(table: Table, all: AsyncIterable<Item[]>, progress: Progress): Promise<Seen> {
  const seen: Seen = {
    items: 0,
    records: 0,
    lists: new Set(),
    partitions: new Map(),
    suspects: new Map(),
    blobs: noBlobs(),
    index: noSums(),
    findings: [],
  }
  for await (const items of all) {
    const looked = await look(table, items)
    seen.items += items.length
    seen.records += looked.records
    for (const finding of looked.findings) seen.findings.push(finding)
    for (const list of looked.lists) seen.lists.add(list)
    for (const suspect of looked.suspects) addSuspect(seen.suspects, suspect)
    for (const { pk } of items) {
      if (PARTITIONS.has(kindOf(pk))) seen.partitions.set(pk, { kind: kindOf(pk), id: Number(nameIn(pk)) })
    }
    noteBlobs(seen.blobs, items)
    await noteIndex(table, seen.index, items)
    progress.say(`Read ${seen.items} items, ${seen.suspects.size} records in doubt`)
  }
  return seen
}

function addSuspect(suspects: Map<string, Suspect>, suspect: Suspect): void {
  const text = textOf(suspect.key)
  const known = suspects.get(text)
  suspects.set(text, known ? { ...known, seen: new Map([...known.seen, ...suspect.seen]) } : suspect)
}
