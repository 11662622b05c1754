// Writes the index record of a post.
import { randomUUID } from 'node:crypto'
import { CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { docKey } from '../../table/design.ts'
import { claimText, packText, releaseText } from '../../table/large-text.ts'
import { type IndexRecord, NOT_INDEXED, type StoredIndexRecord, toText } from '../store/index-record.ts'

/** Deletes a record without documents. Throws ConditionFailed if the record has changed since `before`. */
export async function saveIndexRecord(
  table: Table,
  postId: number,
  record: IndexRecord,
  before: StoredIndexRecord,
  nowMs: number,
): Promise<StoredIndexRecord> {
  const Key = docKey(postId)
  const unchanged = before.stored
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': before.stored.stamp } }
    : isNew
  const released = releaseText(before.stored, nowMs)
  if (record.docs.length === 0) {
    if (before.stored) {
      await table.transact([{ onConditionFailed: CONFLICT, Delete: { Key, ...unchanged } }, ...released])
    }
    return NOT_INDEXED
  }
  const packed = await packText(table, toText(record), nowMs)
  const stored = { stamp: randomUUID(), ...packed }
  await table.transact([
    { onConditionFailed: CONFLICT, Put: { Item: { ...Key, ...stored }, ...unchanged } },
    ...claimText(packed),
    ...released,
  ])
  return { ...record, stored }
}
