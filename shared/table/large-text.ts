// Texts of any length: compressed, inside an item where they fit, in parts beside it where they do not.
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import * as z from 'zod/mini'
import type { Action } from './action.ts'
import { BlobRef, claimBlob, dropBlob, findBlob, saveBlob } from './blob.ts'
import type { Table } from './client.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Larger ones would take most of a transaction's 4 MB and of a partition's writes. */
const LARGEST_INLINE_BYTES = 100_000
/** An unfinished write is swept after an hour; readers of a text just replaced have a day. */
const UNCLAIMED_MS = 60 * 60 * 1000
const REPLACED_MS = 24 * 60 * 60 * 1000

/** The members that an item has for its text. */
export const Packed = z.object({ bytes: z.optional(z.instanceof(Uint8Array)), blob: z.optional(BlobRef) })
export type Packed = z.infer<typeof Packed>

/** The text as it will be kept; a large one is written right away and waits to be named. */
export async function packText(table: Table, text: string, nowMs: number): Promise<Packed> {
  const bytes = await compress(text, QUICK)
  if (bytes.length <= LARGEST_INLINE_BYTES) return { bytes }
  return { blob: await saveBlob(table, bytes, nowMs + UNCLAIMED_MS) }
}

/** Beside the write of the item that carries it. */
export function claimText({ blob }: Packed): Action[] {
  return blob ? [claimBlob(blob)] : []
}

/** Beside the write that replaces or deletes its item. */
export function releaseText(packed: Packed | undefined, nowMs: number): Action[] {
  return packed?.blob ? [dropBlob(packed.blob, nowMs + REPLACED_MS)] : []
}

/** Undefined when its parts have been replaced and swept meanwhile. */
export async function unpackText(table: Table, { bytes, blob }: Packed): Promise<string | undefined> {
  const packed = blob ? await findBlob(table, blob) : bytes
  return packed && (await decompress(packed)).toString('utf8')
}
