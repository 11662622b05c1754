// Large texts in parts: each part must be named by a record or stand among what is swept, and none may be missing.
import * as z from 'zod/mini'
import { BlobRef } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import { blobIn, chunkKey, kindOf, LEFTOVER_PARTITION, nameIn } from '../../../shared/table/design.ts'
import type { Item, Key } from '../../../shared/table/key.ts'
import { RECORD_TYPES } from '../record-types.ts'
import type { Finding } from './finding.ts'
import { keyOf } from './record.ts'

type Naming = { key: Key; ref: BlobRef }

/** What a pass over all items saw of them. */
export type Blobs = { parts: Map<string, Key[]>; named: Map<string, Naming> }

export function noBlobs(): Blobs {
  return { parts: new Map(), named: new Map() }
}

const Named = z.object({ blob: BlobRef })
const Leftover = z.object({ name: z.string() })

export function noteBlobs({ parts, named }: Blobs, items: Item[]): void {
  for (const item of items) {
    const ref = Named.safeParse(item).data?.blob
    if (ref) named.set(ref.name, { key: keyOf(item), ref })
    if (kindOf(item.pk) !== 'CHUNK') continue
    const name = blobIn(nameIn(item.pk))
    parts.set(name, [...(parts.get(name) ?? []), keyOf(item)])
  }
}

async function listLeftovers(table: Table): Promise<Set<string>> {
  return new Set((await table.query({ pk: LEFTOVER_PARTITION }, Leftover)).map(({ name }) => name))
}

/**
 * Parts that nothing names. A blob stands among the leftovers until a record names it, and again once none does:
 * one that is neither there, nor named, nor there a little later, is nobody's.
 */
export async function examineParts(
  table: Table,
  { parts, named }: Blobs,
  readAgain: () => AsyncIterable<Item[]>,
  isMending: boolean,
): Promise<Finding[]> {
  const before = await listLeftovers(table)
  const doubted = new Map([...parts].filter(([name]) => !named.has(name) && !before.has(name)))
  if (doubted.size === 0) return []
  const again = noBlobs()
  for await (const items of readAgain()) noteBlobs(again, items)
  const after = await listLeftovers(table)
  const findings: Finding[] = []
  for (const [name, keys] of doubted) {
    if (again.named.has(name) || after.has(name) || !again.parts.has(name)) continue
    if (isMending) await table.removeMany(keys)
    const says = `nobody names it, but ${keys.length} parts of it are kept.`
    findings.push({ where: `large text ${name}`, says, isMended: isMending })
  }
  return findings
}

/** Texts that a record names and that are not whole: what is missing stands nowhere else. */
export async function examineNamed(table: Table, { parts, named }: Blobs): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { key, ref } of named.values()) {
    if ((parts.get(ref.name)?.length ?? 0) >= ref.parts) continue
    const keys = Array.from({ length: ref.parts }, (_, n) => chunkKey(ref.name, n))
    const kept = (await table.findMany(keys)).length
    const [naming] = await table.findMany([key])
    if (!naming || kept === ref.parts || Named.safeParse(naming).data?.blob.name !== ref.name) continue
    const missing = ref.parts - kept
    const says = `its large text has ${ref.parts} parts, of which ${missing} are missing. It cannot be made again.`
    findings.push({ where: labelOf(naming), says, key, isMended: false })
  }
  return findings
}

function labelOf(item: Item): string {
  return (
    RECORD_TYPES.flatMap(slice => {
      const owner = slice.ownerOf(item)
      return owner ? [slice.labelOf(owner)] : []
    })[0] ?? `${item.pk} ${item.sk}`
  )
}
