// Stores bytes that are too large for one item in parts, each in a partition of its own.
import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Action } from './action.ts'
import type { Table } from './client.ts'
import { exists } from './conditions.ts'
import { blobPartKey, LEFTOVER_PARTITION, leftoverKey, sortable } from './design.ts'
import type { Key } from './key.ts'

const PART_BYTES = 300_000

export const BlobRef = z.object({ name: z.string(), parts: z.int(), sha256: z.string(), due_ms: z.int() })
export type BlobRef = z.infer<typeof BlobRef>

const Part = z.object({ bytes: z.instanceof(Uint8Array) })
const LeftoverRow = z.object({ pk: z.string(), sk: z.string(), name: z.string(), parts: z.int() })

/**
 * Writes a leftover row, then the bytes in parts. The sweep deletes both after `dueMs`, unless the
 * transaction of the record that refers to them includes `claimBlob`.
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

/** Keeps the blob for the record that refers to it. Fails with `blob-swept` if the sweep deleted it first. */
export function claimBlob(ref: BlobRef): Action {
  return {
    onConditionFailed: 'blob-swept',
    Delete: { Key: leftoverKey(ref.due_ms, ref.name), ...exists },
  }
}

/** Leaves the blob to the sweep. Readers that still refer to it have until `dueMs`. */
export function dropBlob(ref: BlobRef, dueMs: number): Action {
  return {
    Put: { Item: leftoverRow({ ...ref, due_ms: dueMs }) },
  }
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

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
