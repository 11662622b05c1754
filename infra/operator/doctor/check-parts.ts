// Checks what is stored in parts, each in a partition of its own: large texts, to which a record refers, and
// segments of the search index, which the manifest names.
import * as z from 'zod/mini'
import { readIndexState } from '../../../shared/search/index-state.ts'
import { BlobRef } from '../../../shared/table/blob.ts'
import type { Table } from '../../../shared/table/client.ts'
import {
  blobIn,
  blobPartKey,
  type Item,
  type Key,
  kindOf,
  LEFTOVER_PARTITION,
  nameIn,
  segmentItemKey,
} from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { RECORD_TYPES } from '../record-types.ts'
import type { ScanAgain } from './check-totals.ts'
import { keyOf, type Problem } from './expectations.ts'

const WithBlob = z.object({ blob: BlobRef })
const LeftoverRow = z.object({ name: z.string() })
const TEXT = 'CHUNK' satisfies Kind
const SEGMENT = 'SEGMENT' satisfies Kind

export type Parts = ReturnType<typeof openParts>

/** What a scan has found, by the kind and the name of what is stored in parts. */
export function openParts() {
  const stored = new Map<string, Key[]>()
  const references = new Map<string, { key: Key; ref: BlobRef }>()
  const add = (item: Item): void => {
    const ref = WithBlob.safeParse(item).data?.blob
    if (ref) references.set(wholeOf(blobPartKey(ref.name, 0)), { key: keyOf(item), ref })
    const kind = kindOf(item.pk)
    if (kind !== TEXT && kind !== SEGMENT) return
    stored.set(wholeOf(item), [...(stored.get(wholeOf(item)) ?? []), keyOf(item)])
  }
  return { stored, references, add }
}

/** The partition key of a part, without the number of the part. */
function wholeOf({ pk }: Key): string {
  return blobIn(pk)
}

/** What the sweep will delete, and the segments that are live, being written, or waiting for deletion. */
async function readKnown(table: Table): Promise<Set<string>> {
  const leftovers = await table.query({ pk: LEFTOVER_PARTITION }, LeftoverRow)
  const { manifest } = await readIndexState(table)
  const { building = [], segments = [], obsolete = [] } = manifest ?? {}
  const written = [...segments, ...obsolete.flatMap(({ segments }) => segments)]
  const names = [...building, ...written.map(({ name }) => name)]
  return new Set([
    ...leftovers.map(({ name }) => wholeOf(blobPartKey(name, 0))),
    ...names.map(name => wholeOf(segmentItemKey(name, 0))),
  ])
}

/** A record that refers to a text may have been written during the first scan. */
export async function checkParts(
  table: Table,
  { first, scanAgain }: { first: Parts; scanAgain: ScanAgain },
  repair: boolean,
): Promise<Problem[]> {
  const problems = await missingParts(table, first)
  const before = await readKnown(table)
  const suspects = [...first.stored].filter(([whole]) => !first.references.has(whole) && !before.has(whole))
  if (suspects.length === 0) return problems
  const second = openParts()
  if (suspects.some(([whole]) => kindOf(whole) === TEXT)) await scanAgain(second.add)
  const known = await readKnown(table)
  for (const [whole, keys] of suspects) {
    if (second.references.has(whole) || known.has(whole)) continue
    const left = (await table.findMany(keys)).map(keyOf)
    if (left.length === 0) continue
    if (repair) await table.removeMany(left)
    const name = kindOf(whole) === TEXT ? 'large text' : 'search segment'
    const message = `nothing refers to it, but ${left.length} parts of it are stored.`
    problems.push({ subject: `${name} ${nameIn(whole)}`, message, isRepaired: repair })
  }
  return problems
}

/** Nothing can repair them: the parts are stored nowhere else. */
async function missingParts(table: Table, { stored, references }: Parts): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const [whole, { key, ref }] of references) {
    if ((stored.get(whole)?.length ?? 0) >= ref.parts) continue
    const keys = Array.from({ length: ref.parts }, (_, n) => blobPartKey(ref.name, n))
    const missing = ref.parts - (await table.findMany(keys)).length
    const [item] = await table.findMany([key])
    const isReferring = item && WithBlob.safeParse(item).data?.blob.name === ref.name
    if (!isReferring || missing === 0) continue
    const message = `${missing} of the ${ref.parts} parts of its large text are missing. It cannot be restored.`
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
