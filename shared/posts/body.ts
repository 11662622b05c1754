// Bodies: compressed, in one item where they fit, in parts where they do not; byte for byte what came in.
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { z } from 'zod'
import type { Action } from '../table/action.ts'
import { BlobRef, claimBlob, dropBlob, findBlob, saveBlob } from '../table/blob.ts'
import type { Table } from '../table/client.ts'
import { bodyKey } from '../table/design.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Larger ones would take most of a transaction's 4 MB and of a partition's writes. */
const LARGEST_INLINE_BYTES = 100_000
/** An unfinished write is swept after an hour; readers of a body just replaced have a day. */
const UNCLAIMED_MS = 60 * 60 * 1000
const REPLACED_MS = 24 * 60 * 60 * 1000

export const BodyItem = z.object({
  id: z.int(),
  version: z.int(),
  bytes: z.instanceof(Uint8Array).optional(),
  blob: BlobRef.optional(),
})
export type BodyItem = z.infer<typeof BodyItem>

type Packed = { bytes: Uint8Array } | { blob: BlobRef }

/** The body as it will be kept; a large one is written right away and waits to be named. */
export const packBody = async (table: Table, text: string, nowMs: number): Promise<Packed> => {
  const bytes = await compress(text, QUICK)
  return bytes.length <= LARGEST_INLINE_BYTES
    ? { bytes }
    : { blob: await saveBlob(table, bytes, nowMs + UNCLAIMED_MS) }
}

/** The actions that make `packed` the body of the post, in place of `before`. */
export const replaceBody = (
  id: number,
  version: number,
  packed: Packed,
  before: BodyItem | undefined,
  nowMs: number,
): Action[] => [
  { Put: { Item: { ...bodyKey(id), id, version, ...packed } } },
  ...('blob' in packed ? [claimBlob(packed.blob)] : []),
  ...releaseBlob(before, nowMs),
]

export const deleteBody = (item: BodyItem | undefined, id: number, nowMs: number): Action[] => [
  { Delete: { Key: bodyKey(id) } },
  ...releaseBlob(item, nowMs),
]

const releaseBlob = (item: BodyItem | undefined, nowMs: number): Action[] =>
  item?.blob ? [dropBlob(item.blob, nowMs + REPLACED_MS)] : []

/** The text of a body item, or undefined when its parts have been replaced and swept meanwhile. */
export const unpackBody = async (table: Table, item: BodyItem): Promise<string | undefined> => {
  const bytes = item.blob ? await findBlob(table, item.blob) : item.bytes
  return bytes && (await decompress(bytes)).toString('utf8')
}
