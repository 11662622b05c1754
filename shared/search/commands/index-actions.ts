// The actions that index a post in the transaction that writes it: its document, and a marker of the change.
import { createHash, randomUUID } from 'node:crypto'
import { textOf } from '../../posts/html-text.ts'
import type { Post } from '../../posts/post.ts'
import { type Action, CONFLICT, isNew } from '../../table/action.ts'
import { claimText, type PackedText, packIntoItem, packText } from '../../table/blob.ts'
import type { Table } from '../../table/client.ts'
import {
  addingMarkerKey,
  docKey,
  dueDocKey,
  dueMarkerKey,
  replacedDocKey,
  replacingMarkerKey,
} from '../../table/design.ts'
import {
  awaitsAnnouncement,
  belongsInIndex,
  documentOf,
  documentText,
  type SearchDocument,
} from '../document.ts'
import type { MarkerState } from '../pending.ts'
import type { StoredDoc } from '../store/documents.ts'

/** Of a body without tags. Splitting it takes a tenth of a second, of the most hostile text half a second. */
export const MAX_TEXT_BYTES = 500_000
/** Of a document. Packing it takes a few milliseconds. */
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
export async function indexActions(write: IndexWrite, nowMs: number): Promise<Action[]> {
  const all = await Promise.all([changeActions(write, nowMs), dueActions(write)])
  return all.flat()
}

async function changeActions({ before, after, body, stored }: IndexWrite, nowMs: number): Promise<Action[]> {
  if (belongsInIndex(after)) {
    const { id, revision } = after
    return replacePacked({ id, revision, doc: await packInRequest(after, textOf(body)) }, stored, nowMs)
  }
  if (!belongsInIndex(before)) return []
  return replacePacked({ id: before.id, revision: before.revision + 1, doc: 'left' }, stored, nowMs)
}

/**
 * What searches read of a scheduled post from its second on, until its announcement indexes it: its document
 * and a marker. A text that is too long for the request is found only after the announcement.
 */
export async function dueActions({
  before,
  after,
  body,
}: Pick<IndexWrite, 'before' | 'after' | 'body'>): Promise<Action[]> {
  const old = awaitsAnnouncement(before) ? dueMarkerKey(before.posted_at, before.id) : undefined
  const packed = awaitsAnnouncement(after) ? await packInRequest(after, textOf(body)) : 'unread'
  if (!awaitsAnnouncement(after) || packed === 'unread') {
    return old ? [{ Delete: { Key: old } }, { Delete: { Key: dueDocKey(before?.id ?? 0) } }] : []
  }
  const { id, posted_at, revision } = after
  const next = dueMarkerKey(posted_at, id)
  return [
    ...(old && old.sk !== next.sk ? [{ Delete: { Key: old } }] : []),
    { Put: { Item: { ...dueDocKey(id), ...packed.item } } },
    { Put: { Item: { ...next, revision, ...withUnits('units', packed.item) } } },
  ]
}

/**
 * `text`: the body without tags. 'unread': left to the worker, which may write a document in parts. The
 * function that publishes scheduled posts may not.
 */
async function packInRequest(
  post: Post & { posted_at: number },
  text: string,
): Promise<PackedDoc | 'unread'> {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return 'unread'
  const docText = documentText(documentOf(post, text))
  if (Buffer.byteLength(docText) > MAX_DOCUMENT_BYTES) return 'unread'
  const packed = await packIntoItem(docText)
  return packed ? packedDoc(packed, docText, post.revision) : 'unread'
}

type State = Exclude<MarkerState, 'changed' | 'due'>
type NewDoc<Doc> = { id: number; revision: number; doc: Doc | State }

/** Fails with CONFLICT if the stored document has changed since it was read. */
export async function replaceDoc(
  table: Table,
  { id, revision, doc }: NewDoc<SearchDocument>,
  stored: StoredDoc,
  nowMs: number,
): Promise<Action[]> {
  const packed = typeof doc === 'string' ? doc : await packDoc(table, doc, revision, nowMs)
  return replacePacked({ id, revision, doc: packed }, stored, nowMs)
}

function replacePacked(
  { id, revision, doc }: NewDoc<PackedDoc>,
  { stamp, item }: StoredDoc,
  nowMs: number,
): Action[] {
  const own = typeof doc === 'string' ? undefined : doc
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

type PackedDoc = ReturnType<typeof packedDoc>

/** The attributes of a document, and the actions that keep its text. */
export async function packDoc(table: Table, doc: SearchDocument, revision: number, nowMs: number) {
  const text = documentText(doc)
  return packedDoc(await packText(table, text, nowMs), text, revision)
}

function packedDoc(packed: PackedText, text: string, revision: number) {
  return {
    item: { ...packed, revision, stamp: randomUUID(), digest: digestOf(text) },
    claims: claimText(packed),
  }
}
