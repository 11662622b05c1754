// The actions that index a post in the transaction that writes it: its document, and a marker of the change.
import { createHash, randomUUID } from 'node:crypto'
import { textOf } from '../../posts/html-text.ts'
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { isNew } from '../../table/conditions.ts'
import { addingMarkerKey, docKey, replacedDocKey, replacingMarkerKey } from '../../table/design.ts'
import { claimText, type PackedText, packText } from '../../table/large-text.ts'
import { belongsInIndex, documentOf, documentText, type SearchDocument } from '../document.ts'
import type { MarkerState } from '../pending.ts'
import type { StoredDoc } from '../store/documents.ts'

/** Of a body without tags. Splitting it takes a tenth of a second, of the most hostile text half a second. */
export const MAX_TEXT_BYTES = 500_000
/** A larger document may not fit into its item when it is packed: random letters keep three quarters. */
const MAX_DOCUMENT_BYTES = 130_000

export type IndexWrite = {
  before: Post | null
  /** At its new revision; null if it is deleted. */
  after: Post | null
  body: string
  /** As it was read before the transaction. */
  stored: StoredDoc
}

/** None if the change makes no difference to searches. */
export async function indexActions(
  table: Table,
  { before, after, body, stored }: IndexWrite,
  nowMs: number,
): Promise<Action[]> {
  if (belongsInIndex(after)) {
    const doc = documentInRequest(after, textOf(body))
    return await replaceDoc(table, { id: after.id, revision: after.revision, doc }, stored, nowMs)
  }
  if (!belongsInIndex(before)) return []
  return await replaceDoc(table, { id: before.id, revision: before.revision + 1, doc: 'left' }, stored, nowMs)
}

/** `text`: the body without tags. */
function documentInRequest(post: Post & { posted_at: number }, text: string): SearchDocument | 'unread' {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return 'unread'
  const doc = documentOf(post, text)
  return Buffer.byteLength(documentText(doc)) > MAX_DOCUMENT_BYTES ? 'unread' : doc
}

type NewDoc = { id: number; revision: number; doc: SearchDocument | Exclude<MarkerState, 'changed'> }

/** Fails with CONFLICT if the stored document has changed since it was read. */
export async function replaceDoc(
  table: Table,
  { id, revision, doc }: NewDoc,
  { stamp, item }: StoredDoc,
  nowMs: number,
): Promise<Action[]> {
  const own = typeof doc === 'string' ? undefined : await packDoc(table, doc, revision, nowMs)
  if (own && own.item.digest === item?.digest) return []
  const unchanged = stamp
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': stamp } }
    : isNew
  const write: Action = own
    ? { onConditionFailed: CONFLICT, Put: { Item: { ...docKey(id), ...own.item }, ...unchanged } }
    : { onConditionFailed: CONFLICT, Delete: { Key: docKey(id), ...unchanged } }
  const replaced = item ? [{ Put: { Item: { ...replacedDocKey(id, item.revision), ...item } } }] : []
  const marker = {
    ...(item ? replacingMarkerKey(id, revision) : addingMarkerKey(nowMs, id, revision)),
    ...(item && { previous: item.revision }),
    ...(typeof doc === 'string' && { state: doc }),
    ...(own && withUnits('units', own.item)),
    ...(item && withUnits('previous_units', item)),
  }
  return [write, ...(own?.claims ?? []), ...replaced, { Put: { Item: marker } }]
}

const BYTES_PER_UNIT = 4_096
/** Of the attributes of a document besides its text. */
const OTHER_BYTES = 300
const PART_UNITS = 75

/** The read units of a document; most have one, which is not stored. */
function withUnits(name: 'units' | 'previous_units', { bytes, blob }: PackedText) {
  const units = Math.ceil(((bytes?.length ?? 0) + OTHER_BYTES) / BYTES_PER_UNIT)
  const all = units + (blob ? blob.parts * PART_UNITS : 0)
  return all > 1 ? { [name]: all } : {}
}

const DIGEST_LENGTH = 32

/** Equal for equal documents. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH)
}

/** The attributes of a document, and the actions that keep its text. */
export async function packDoc(table: Table, doc: SearchDocument, revision: number, nowMs: number) {
  const text = documentText(doc)
  const digest = digestOf(text)
  const packed = await packText(table, text, nowMs)
  return { item: { ...packed, revision, stamp: randomUUID(), digest }, claims: claimText(packed) }
}
