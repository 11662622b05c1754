// Stores bytes that are too large for one item in parts, and texts of any length compressed.
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import * as z from 'zod/mini'
import { type Action, exists } from './action.ts'
import type { Table } from './client.ts'
import { blobPartKey, type Key, LEFTOVER_PARTITION, leftoverKey, sha256, sortable } from './design.ts'

const PART_BYTES = 300_000

export const BlobRef = z.object({ name: z.string(), parts: z.int(), sha256: z.string(), due_ms: z.int() })
export type BlobRef = z.infer<typeof BlobRef>

const Part = z.object({ bytes: z.instanceof(Uint8Array) })
const LeftoverRow = z.object({ pk: z.string(), sk: z.string(), name: z.string(), parts: z.int() })

/**
 * Writes a leftover row, then the bytes in parts. The sweep deletes both after `dueMs`, unless the
 * transaction of the record that refers to them deletes the row.
 */
export async function saveBlob(table: Table, bytes: Uint8Array, dueMs: number): Promise<BlobRef> {
  const parts = Math.ceil(bytes.length / PART_BYTES)
  const ref = { name: randomUUID(), parts, sha256: sha256(bytes), due_ms: dueMs }
  await table.write({ Put: { Item: leftoverRow(ref) } })
  await Promise.all(
    Array.from({ length: parts }, (_, n) => {
      const part = bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES)
      return table.write({ Put: { Item: { ...blobPartKey(ref.name, n), bytes: part } } })
    }),
  )
  return ref
}

/** The bytes, or undefined if parts were deleted. */
export async function findBlob(table: Table, { name, parts, sha256: expected }: BlobRef) {
  const read = await Promise.all(
    Array.from({ length: parts }, (_, n) => table.find(blobPartKey(name, n), Part)),
  )
  const bytes = Buffer.concat(read.flatMap(part => part?.bytes ?? []))
  return sha256(bytes) === expected ? bytes : undefined
}

/** Deletes at most `most` blobs that are due. Returns how many. */
export async function sweepBlobs(table: Table, nowMs: number, most: number): Promise<number> {
  const span = { pk: LEFTOVER_PARTITION, to: sortable(nowMs), limit: most }
  const due = await table.query(span, LeftoverRow)
  for (const { pk, sk, name, parts } of due) {
    await table.removeMany(Array.from({ length: parts }, (_, n): Key => blobPartKey(name, n)))
    await table.removeMany([{ pk, sk }])
  }
  return due.length
}

function leftoverRow({ name, parts, due_ms }: BlobRef) {
  return { ...leftoverKey(due_ms, name), name, parts }
}

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

/** The attributes of an item that hold its text, or other bytes. */
export const PackedText = z.object({ bytes: z.optional(z.instanceof(Uint8Array)), blob: z.optional(BlobRef) })
export type PackedText = z.infer<typeof PackedText>

/** Bytes that are too many for their item are written immediately. The sweep deletes those after `dueMs`. */
export async function packBytes(
  table: Table,
  bytes: Uint8Array<ArrayBuffer>,
  dueMs: number,
  most = LARGEST_INLINE_BYTES,
): Promise<PackedText> {
  return bytes.length <= most ? { bytes } : { blob: await saveBlob(table, bytes, dueMs) }
}

/** Undefined if their parts were deleted since the item was read. */
export async function unpackBytes(table: Table, { bytes, blob }: PackedText): Promise<PackedText['bytes']> {
  return blob ? await findBlob(table, blob) : bytes
}

export function compressText(text: string) {
  return compress(text, quick(text))
}

export async function decompressText(bytes: Uint8Array): Promise<string> {
  return (await decompress(bytes)).toString('utf8')
}

/** Compresses the text. A large one is deleted again unless `claimText` keeps it. */
export async function packText(table: Table, text: string, nowMs: number): Promise<PackedText> {
  return await packBytes(table, await compressText(text), nowMs + UNCLAIMED_MS)
}

/** Both, so that a text in the item replaces one in parts. */
export function membersOf({ bytes, blob }: PackedText) {
  return { bytes, blob }
}

/** For the transaction that writes the item. Fails with `blob-swept` if the sweep deleted the text. */
export function claimText({ blob }: PackedText): Action[] {
  if (!blob) return []
  return [
    { onConditionFailed: 'blob-swept', Delete: { Key: leftoverKey(blob.due_ms, blob.name), ...exists } },
  ]
}

/** Add this to the transaction that replaces or deletes the item. */
export function releaseText(packed: PackedText | undefined, nowMs: number): Action[] {
  return packed?.blob ? [{ Put: { Item: leftoverRow({ ...packed.blob, due_ms: nowMs + REPLACED_MS }) } }] : []
}

/** Returns undefined if the text was replaced and its parts were deleted since the item was read. */
export async function unpackText(table: Table, packed: PackedText): Promise<string | undefined> {
  const bytes = await unpackBytes(table, packed)
  return bytes && (await decompressText(bytes))
}
