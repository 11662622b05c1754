// The actions that index a post in the transaction that writes it: its document, and a marker of the change.
import { createHash, randomUUID } from 'node:crypto'
import type { Message } from '../events/message.ts'
import { type Action, CONFLICT, isNew } from '../table/action.ts'
import { claimText, type PackedText, packIntoItem, packText } from '../table/blob.ts'
import type { Table } from '../table/client.ts'
import { docKey, dueDocKey, dueMarkerKey, markerKey, replacedDocKey } from '../table/design.ts'
import {
  awaitsAnnouncement,
  belongsInIndex,
  documentOf,
  documentText,
  type Searchable,
  type SearchDocument,
} from './document.ts'
import type { StoredDoc } from './documents.ts'
import type { MarkerState } from './pending.ts'

/** Of a body without tags. Splitting it takes a tenth of a second, of the most hostile text half a second. */
export const MAX_TEXT_BYTES = 500_000
/** Of a document. Packing it takes a few milliseconds. */
const MAX_DOCUMENT_BYTES = 130_000

/** All in one group, so that one run at a time writes the index. */
export const INDEX_MESSAGE: Message = { queue: 'index', group: 'index', body: {} }

export type SearchChange = {
  before: Searchable | null
  /** At its new revision; null if it is deleted. */
  after: Searchable | null
  /** The body without tags. Called if the post belongs in the index. */
  text: () => string
}

/** `stored`: as it was read before the transaction. None if the change makes no difference to searches. */
export async function indexChange(
  change: SearchChange,
  stored: StoredDoc,
  nowMs: number,
): Promise<{ actions: Action[]; messages: Message[] }> {
  const { before, after } = change
  const all = await Promise.all([changeActions(change, stored, nowMs), dueActions(change)])
  const actions = all.flat()
  const isMerged = actions.length > 0 && [after, before].some(belongsInIndex)
  return { actions, messages: isMerged ? [INDEX_MESSAGE] : [] }
}

async function changeActions(
  { before, after, text }: SearchChange,
  stored: StoredDoc,
  nowMs: number,
): Promise<Action[]> {
  if (belongsInIndex(after)) {
    const { id, revision } = after
    return replaceDoc({ id, revision, doc: await packInRequest(after, text()) }, stored, nowMs)
  }
  if (!belongsInIndex(before)) return []
  return replaceDoc({ id: before.id, revision: before.revision + 1, doc: 'left' }, stored, nowMs)
}

/**
 * What searches read of a scheduled post from its second on, until its announcement indexes it: its document
 * and a marker. A text that is too long for the request is found only after the announcement.
 */
export async function dueActions({ before, after, text }: SearchChange): Promise<Action[]> {
  const old = awaitsAnnouncement(before) ? dueMarkerKey(before.posted_at, before.id) : undefined
  const packed = awaitsAnnouncement(after) ? await packInRequest(after, text()) : 'unread'
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
  post: Searchable & { posted_at: number },
  text: string,
): Promise<PackedDoc | 'unread'> {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return 'unread'
  const docText = documentText(documentOf(post, text))
  if (Buffer.byteLength(docText) > MAX_DOCUMENT_BYTES) return 'unread'
  const packed = await packIntoItem(docText)
  return packed ? packedDoc(packed, docText, post.revision) : 'unread'
}

type NewDoc = { id: number; revision: number; doc: PackedDoc | Exclude<MarkerState, 'changed' | 'due'> }

/** The new document, the replaced one, which the segments may contain, and the marker of the change. */
export function replaceDoc({ id, revision, doc }: NewDoc, stored: StoredDoc, nowMs: number): Action[] {
  const own = typeof doc === 'string' ? undefined : doc
  const { item } = stored
  if (own && own.item.digest === item?.digest) return []
  const replaced = item ? [{ Put: { Item: { ...replacedDocKey(id, item.revision), ...item } } }] : []
  const marker = {
    ...markerKey(id, revision),
    ...(item ? { previous: item.revision } : { added_ms: nowMs }),
    ...(typeof doc === 'string' && { state: doc }),
    ...(own && withUnits('units', own.item)),
    ...(item && withUnits('previous_units', item)),
  }
  return [...writeDoc(id, own, stored), ...replaced, { Put: { Item: marker } }]
}

/** Writes or deletes the document. Fails with CONFLICT if the stored one has changed since it was read. */
export function writeDoc(id: number, doc: PackedDoc | undefined, { stamp }: StoredDoc): Action[] {
  const unchanged = stamp
    ? { ConditionExpression: 'stamp = :s', ExpressionAttributeValues: { ':s': stamp } }
    : isNew
  const write: Action = doc
    ? { onConditionFailed: CONFLICT, Put: { Item: { ...docKey(id), ...doc.item }, ...unchanged } }
    : { onConditionFailed: CONFLICT, Delete: { Key: docKey(id), ...unchanged } }
  return [write, ...(doc?.claims ?? [])]
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
