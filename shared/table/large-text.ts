// Stores texts of any length compressed: inside the item if they fit, else in parts.
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import * as z from 'zod/mini'
import type { Action } from './action.ts'
import { BlobRef, claimBlob, dropBlob, findBlob, saveBlob } from './blob.ts'
import type { Table } from './client.ts'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** The smallest window that holds the text: setting up the largest one takes longer than most texts do. */
function quick(text: string) {
  const bits = Math.ceil(Math.log2(Buffer.byteLength(text) + WINDOW_OVERHEAD))
  const window = Math.min(Math.max(bits, constants.BROTLI_MIN_WINDOW_BITS), constants.BROTLI_DEFAULT_WINDOW)
  return {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: window },
  }
}
/** A window of n bits holds 16 bytes less than 2^n. */
const WINDOW_OVERHEAD = 16

/** A larger text would use up a transaction's 4 MB and a partition's writes. */
const LARGEST_INLINE_BYTES = 100_000
/**
 * The sweep deletes an unfinished write after an hour, and a replaced text after a day, for its last readers.
 */
const UNCLAIMED_MS = 60 * 60 * 1000
const REPLACED_MS = 24 * 60 * 60 * 1000

/** The attributes of an item that hold its text. */
export const PackedText = z.object({ bytes: z.optional(z.instanceof(Uint8Array)), blob: z.optional(BlobRef) })
export type PackedText = z.infer<typeof PackedText>

/** Compresses a text that may be stored in its item only. Returns undefined if it does not fit. */
export async function packIntoItem(text: string): Promise<PackedText | undefined> {
  const bytes = await compress(text, quick(text))
  return bytes.length <= LARGEST_INLINE_BYTES ? { bytes } : undefined
}

/** Compresses the text. A large one is written immediately, and deleted unless `claimText` keeps it. */
export async function packText(table: Table, text: string, nowMs: number): Promise<PackedText> {
  const bytes = await compress(text, quick(text))
  if (bytes.length <= LARGEST_INLINE_BYTES) return { bytes }
  return { blob: await saveBlob(table, bytes, nowMs + UNCLAIMED_MS) }
}

/** Both, so that a text in the item replaces one in parts. */
export function membersOf({ bytes, blob }: PackedText) {
  return { bytes, blob }
}

/** Add this to the transaction that writes the item. */
export function claimText({ blob }: PackedText): Action[] {
  return blob ? [claimBlob(blob)] : []
}

/** Add this to the transaction that replaces or deletes the item. */
export function releaseText(packed: PackedText | undefined, nowMs: number): Action[] {
  return packed?.blob ? [dropBlob(packed.blob, nowMs + REPLACED_MS)] : []
}

/** Returns undefined if the text was replaced and its parts were deleted since the item was read. */
export async function unpackText(table: Table, { bytes, blob }: PackedText): Promise<string | undefined> {
  const packed = blob ? await findBlob(table, blob) : bytes
  return packed && (await decompress(packed)).toString('utf8')
}
