// Checks the blobs in which large texts are stored: no part is missing, and a record refers to each part.
import * as z from 'zod/mini'
import { BlobRef } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import { blobIn, blobPartKey, kindOf, LEFTOVER_PARTITION, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { RECORD_TYPES } from '../record-types.ts'
import { keyOf } from './expected-items.ts'
import type { Problem } from './problem.ts'

/** A reference to a blob, and the key of the item that contains it. */
type BlobReference = { key: Key; ref: BlobRef }

/** By the name of the blob: the keys of its stored parts, and the reference to it. */
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
 * Reports the parts of blobs that no record refers to. A suspect is scanned again, as its record may have
 * been written during the first scan. Blobs that have a leftover row are left to the sweep.
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
  const second = noBlobs()
  for await (const items of readAll()) collectBlobs(second, items)
  const leftoversAfter = await listLeftovers(table)
  const problems: Problem[] = []
  for (const [name, keys] of suspects) {
    if (second.references.has(name) || leftoversAfter.has(name) || !second.parts.has(name)) continue
    if (repair) await table.removeMany(keys)
    const message = `no record refers to it, but ${keys.length} parts of it are stored.`
    problems.push({ subject: `large text ${name}`, message, isRepaired: repair })
  }
  return problems
}

/** Reports records whose blob lacks parts. Nothing can repair them: the parts are stored nowhere else. */
export async function checkReferences(table: Table, { parts, references }: Blobs): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { key, ref } of references.values()) {
    if ((parts.get(ref.name)?.length ?? 0) >= ref.parts) continue
    const keys = Array.from({ length: ref.parts }, (_, n) => blobPartKey(ref.name, n))
    const storedParts = (await table.findMany(keys)).length
    const [item] = await table.findMany([key])
    const isReferring = item && WithBlob.safeParse(item).data?.blob.name === ref.name
    if (!isReferring || storedParts === ref.parts) continue
    const message = `${ref.parts - storedParts} of the ${ref.parts} parts of its large text are missing. It cannot be restored.`
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
