// The actions that index a post in the transaction that writes it: its document, and a marker of the change.
import type { Message } from '../events/message.ts'
import { type Action, CONFLICT } from '../table/action.ts'
import { compressText } from '../table/blob.ts'
import { docKey, dueDocKey, dueMarkerKey, markerKey, replacedDocKey, sha256 } from '../table/design.ts'
import {
  awaitsAnnouncement,
  belongsInIndex,
  documentOf,
  documentText,
  type SearchablePost,
  type SearchDocument,
} from './document.ts'
import type { DocItem } from './documents.ts'

/** All in one group, so that one run at a time writes the index. */
export const INDEX_MESSAGE: Message = { queue: 'index', group: 'index', body: {} }

type SearchChange = {
  before: SearchablePost | null
  /** At its new revision; null if it is deleted. */
  after: SearchablePost | null
  /** The body without tags. Called if the post belongs in the index. */
  text: () => string
}

/** `stored`: as it was read before the transaction. None if the change makes no difference to searches. */
export async function indexChange(
  change: SearchChange,
  stored: DocItem | undefined,
  nowMs: number,
): Promise<{ actions: Action[]; messages: Message[] }> {
  const [merged, due] = await Promise.all([mergedActions(change, stored, nowMs), dueActions(change)])
  return { actions: [...merged, ...due], messages: merged.length > 0 ? [INDEX_MESSAGE] : [] }
}

/** What the worker merges into the segments. */
async function mergedActions(
  { before, after, text }: SearchChange,
  stored: DocItem | undefined,
  nowMs: number,
): Promise<Action[]> {
  if (belongsInIndex(after)) {
    const { id, revision } = after
    const doc = await packDoc(documentOf(after, text()), revision)
    return replaceDoc({ id, revision, doc }, stored, nowMs)
  }
  if (!belongsInIndex(before)) return []
  return replaceDoc({ id: before.id, revision: before.revision + 1, doc: undefined }, stored, nowMs)
}

/** The document of a scheduled post and a marker: searches read both from its second to its announcement. */
export async function dueActions({ before, after, text }: SearchChange): Promise<Action[]> {
  const old = awaitsAnnouncement(before) ? dueMarkerKey(before.posted_at, before.id) : undefined
  if (!awaitsAnnouncement(after)) {
    return old ? [{ Delete: { Key: old } }, { Delete: { Key: dueDocKey(before?.id ?? 0) } }] : []
  }
  const { id, posted_at, revision } = after
  const doc = await packDoc(documentOf(after, text()), revision)
  const next = dueMarkerKey(posted_at, id)
  return [
    ...(old && old.sk !== next.sk ? [{ Delete: { Key: old } }] : []),
    { Put: { Item: { ...dueDocKey(id), ...doc } } },
    { Put: { Item: { ...next, revision, ...withUnits('units', doc) } } },
  ]
}

/** `doc`: undefined if the post leaves public view. */
type NewDoc = { id: number; revision: number; doc: DocItem | undefined }

/** The new document, the replaced one, which the segments may contain, and the marker of the change. */
export function replaceDoc(
  { id, revision, doc }: NewDoc,
  stored: DocItem | undefined,
  nowMs: number,
): Action[] {
  if (doc && doc.digest === stored?.digest) return []
  const replaced = stored ? [{ Put: { Item: { ...replacedDocKey(id, stored.revision), ...stored } } }] : []
  const marker = {
    ...markerKey(id, revision),
    ...(stored ? { previous: stored.revision } : { added_ms: nowMs }),
    ...(doc ? withUnits('units', doc) : { state: 'left' }),
    ...(stored && withUnits('previous_units', stored)),
  }
  return [writeDoc(id, doc, stored), ...replaced, { Put: { Item: marker } }]
}

/** Writes or deletes the document. Fails with CONFLICT if the stored one has changed since it was read. */
export function writeDoc(id: number, doc: DocItem | undefined, stored: DocItem | undefined): Action {
  const unchanged = stored
    ? { ConditionExpression: 'digest = :d', ExpressionAttributeValues: { ':d': stored.digest } }
    : { ConditionExpression: 'attribute_not_exists(digest)' }
  return doc
    ? { onConditionFailed: CONFLICT, Put: { Item: { ...docKey(id), ...doc }, ...unchanged } }
    : { onConditionFailed: CONFLICT, Delete: { Key: docKey(id), ...unchanged } }
}

const BYTES_PER_UNIT = 4_096
/** The bytes of a document's attributes besides its text. */
const OTHER_BYTES = 300

/** The read units of a document; most have one, which is not stored. */
function withUnits(name: 'units' | 'previous_units', { bytes }: DocItem) {
  const units = Math.ceil((bytes.length + OTHER_BYTES) / BYTES_PER_UNIT)
  return units > 1 ? { [name]: units } : {}
}

const DIGEST_LENGTH = 32

/** Equal for equal documents. */
export function digestOf(text: string): string {
  return sha256(text).slice(0, DIGEST_LENGTH)
}

export async function packDoc(doc: SearchDocument, revision: number): Promise<DocItem> {
  const text = documentText(doc)
  return { bytes: await compressText(text), revision, digest: digestOf(text) }
}
