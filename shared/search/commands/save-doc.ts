// Writes what the index holds of a post.

import { randomUUID } from 'node:crypto'
import { CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { docKey } from '../../table/design.ts'
import { claimText, packText, releaseText } from '../../table/large-text.ts'
import { NOTHING, type Noted, type StoredDoc } from '../store/docs.ts'

/** Throws Refused when somebody else has written it since. No documents: there is nothing to note. */
export async function saveDoc(
  table: Table,
  postId: number,
  noted: Noted,
  before: StoredDoc,
  nowMs: number,
): Promise<StoredDoc> {
  const Key = docKey(postId)
  const unchanged = before.stored
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': before.stored.stamp } }
    : isNew
  const released = releaseText(before.stored, nowMs)
  if (noted.docs.length === 0) {
    if (before.stored) {
      await table.transact([{ onConditionFailed: CONFLICT, Delete: { Key, ...unchanged } }, ...released])
    }
    return NOTHING
  }
  const packed = await packText(table, JSON.stringify(noted), nowMs)
  const stored = { stamp: randomUUID(), ...packed }
  await table.transact([
    { onConditionFailed: CONFLICT, Put: { Item: { ...Key, ...stored }, ...unchanged } },
    ...claimText(packed),
    ...released,
  ])
  return { ...noted, stored }
}
