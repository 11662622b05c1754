// What the index holds of a post, noted before and after it is written; and which posts every search leaves out.

import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { docKey, nameIn, UNINDEXED_PARTITION, unindexedKey } from '../../table/design.ts'
import { claimText, Packed, packText, releaseText, unpackText } from '../../table/large-text.ts'
import { Doc, isIndexed } from '../doc.ts'

/**
 * Whole: the index holds this one document. Open: it may hold something of each, since a run is under way or broke
 * off. Rebuilding is open, too, and says that no run was.
 */
const Noted = z.lazy(() => z.object({ state: z.enum(['whole', 'open', 'rebuilding']), docs: z.array(Doc) }))
type Noted = z.infer<typeof Noted>

export const Stored = z.extend(Packed, { stamp: z.string() })
type Stored = z.infer<typeof Stored>
export type StoredDoc = Noted & { stored: Stored | undefined }

/** Of a post that the index has never seen. */
export const NOTHING: StoredDoc = { state: 'whole', docs: [], stored: undefined }

export async function findDoc(table: Table, postId: number): Promise<StoredDoc> {
  const stored = await table.find(docKey(postId), Stored)
  if (!stored) return NOTHING
  const noted = await readNoted(table, stored)
  if (!noted) throw new Error(`The words of post ${postId} have changed since they were named.`)
  return { ...noted, stored }
}

/** What the index holds of some posts, or will in a moment, by id; a moment old may do. */
export async function findDocs(table: Table, postIds: number[]): Promise<Map<number, Doc>> {
  const items = await table.findMany(postIds.map(docKey), { isEventual: true })
  const docs = await Promise.all(
    items.map(async item => {
      const noted = await readNoted(table, Stored.parse(item))
      const { docs } = noted ?? (await findDoc(table, Number(nameIn(item.pk))))
      return docs.slice(-1)
    }),
  )
  return new Map(docs.flat().map(doc => [doc.id, doc]))
}

/** Undefined when it has been replaced since. */
export async function readNoted(table: Table, stored: Stored): Promise<Noted | undefined> {
  const text = await unpackText(table, stored)
  return text === undefined ? undefined : Noted.parse(JSON.parse(text))
}

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

const Unindexed = z.object({ sk: z.string(), revision: z.int() })

/** Beside a write of the post: what leaves public view is left out of every find at once. */
export function unindexedActions(before: Post | null, after: Post | null): Action[] {
  if (!isIndexed(before) || isIndexed(after)) return []
  return [{ Put: { Item: { ...unindexedKey(before.id), revision: before.revision + 1 } } }]
}

/** The posts that the index may still hold though they have left public view. */
export async function listUnindexed(table: Table): Promise<Set<number>> {
  return new Set((await table.query({ pk: UNINDEXED_PARTITION }, Unindexed)).map(({ sk }) => Number(sk)))
}

/** The revision of the post that took it from public view, where the index has not followed yet. */
export async function findUnindexed(table: Table, postId: number): Promise<number | undefined> {
  return (await table.find(unindexedKey(postId), Unindexed))?.revision
}

/** A post that was taken away once more since is still left out. */
export async function dropUnindexed(table: Table, postId: number, revision: number): Promise<void> {
  try {
    await table.write({
      onConditionFailed: CONFLICT,
      Delete: {
        Key: unindexedKey(postId),
        ConditionExpression: 'revision = :r',
        ExpressionAttributeValues: { ':r': revision },
      },
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
