// Checks large texts, which are stored in parts: no part is missing, and none is without a reference.
import * as z from 'zod/mini'
import { BlobRef } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import { blobIn, chunkKey, kindOf, LEFTOVER_PARTITION, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { keyOf } from './expected-items.ts'
import type { Problem } from './problem.ts'

/** The item at `key` refers to the blob. */
type BlobReference = { key: Key; ref: BlobRef }

/** Both by the name of the blob. */
export type Blobs = { parts: Map<string, Key[]>; references: Map<string, BlobReference> }

export function noBlobs(): Blobs {
  return { parts: new Map(), references: new Map() }
}

const WithBlob = z.object({ blob: BlobRef })
const LeftoverRow = z.object({ name: z.string() })

export function collectBlobs({ parts, references }: Blobs, items: Item[]): void {
  for (const item of items) {
    const ref = WithBlob.safeParse(item).data?.blob
    if (ref) references.set(ref.name, { key: keyOf(item), ref })
    if (kindOf(item.pk) !== 'CHUNK') continue
    const name = blobIn(nameIn(item.pk))
    parts.set(name, [...(parts.get(name) ?? []), keyOf(item)])
  }
}

async function listLeftovers(table: Table): Promise<Set<string>> {
  return new Set((await table.query({ pk: LEFTOVER_PARTITION }, LeftoverRow)).map(({ name }) => name))
}

/**
 * Reports parts without a reference. A blob is a leftover before and after a record refers to it: one that
 * is neither a leftover nor referred to, also in a second scan, is unused.
 */
export async function checkParts(
  table: Table,
  { parts, references }: Blobs,
  readAll: () => AsyncIterable<Item[]>,
  repair: boolean,
): Promise<Problem[]> {
  const leftoversBefore = await listLeftovers(table)
  const suspects = new Map([...parts].filter(([name]) => !references.has(name) && !leftoversBefore.has(name)))
  if (suspects.size === 0) return []
  const again = noBlobs()
  for await (const items of readAll()) collectBlobs(again, items)
  const leftoversAfter = await listLeftovers(table)
  const problems: Problem[] = []
  for (const [name, keys] of suspects) {
    if (again.references.has(name) || leftoversAfter.has(name) || !again.parts.has(name)) continue
    if (repair) await table.removeMany(keys)
    const message = `no record refers to it, but ${keys.length} parts of it are stored.`
    problems.push({ subject: `large text ${name}`, message, isRepaired: repair })
  }
  return problems
}

/** Reports references to texts of which parts are missing. They are stored nowhere else. */
export async function checkReferences(table: Table, { parts, references }: Blobs): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { key, ref } of references.values()) {
    if ((parts.get(ref.name)?.length ?? 0) >= ref.parts) continue
    const keys = Array.from({ length: ref.parts }, (_, n) => chunkKey(ref.name, n))
    const found = (await table.findMany(keys)).length
    const [item] = await table.findMany([key])
    const isReferring = item && WithBlob.safeParse(item).data?.blob.name === ref.name
    if (!isReferring || found === ref.parts) continue
    const message = `${ref.parts - found} of the ${ref.parts} parts of its large text are missing. It cannot be restored.`
    problems.push({ subject: labelOf(item), message, key, isRepaired: false })
  }
  return problems
}

function labelOf(item: Item): string {
  const owners = RECORD_TYPES.flatMap(type => {
    const owner = type.ownerOf(item)
    return owner ? [type.labelOf(owner)] : []
  })
  return owners[0] ?? `${item.pk} ${item.sk}`
}
