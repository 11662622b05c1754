// Reads the documents of posts: what the index contains of each, or will contain.
import * as z from 'zod/mini'
import { type ByteCache, openByteCache } from '../cache/byte-cache.ts'
import { decompressText } from '../table/blob.ts'
import { perTable, type Table } from '../table/client.ts'
import { docKey, dueDocKey, type Item, type Key, nameIn, replacedDocKey } from '../table/design.ts'
import { parseDocument, type SearchDocument } from './document.ts'
import type { DocumentChange } from './entry.ts'
import type { PendingPost } from './pending.ts'

/** `revision` is that of the post from which it was made. `digest` tells equal documents. */
export const DocItem = z.lazy(() =>
  z.object({ bytes: z.instanceof(Uint8Array), revision: z.int(), digest: z.string() }),
)
export type DocItem = z.infer<typeof DocItem>

/** Undefined without a document, and for an item that cannot be read. */
export function storedDoc(item: Item | undefined): DocItem | undefined {
  return DocItem.safeParse(item).data
}

type DocAt = { revision: number; doc: SearchDocument }

/** The stored documents by the text of their key, without unreadable ones. */
async function findDocsAt(table: Table, keys: Key[]): Promise<Map<string, DocAt>> {
  const items = await table.findMany(keys)
  const docs = await Promise.all(
    items.map(async item => {
      const stored = storedDoc(item)
      if (!stored) return []
      const doc = await unpackDoc(stored)
      if (!doc) return []
      return [[docName(item), { revision: stored.revision, doc }] as const]
    }),
  )
  return new Map(docs.flat())
}

/** Undefined if it cannot be read. */
export async function unpackDoc({ bytes }: DocItem): Promise<SearchDocument | undefined> {
  try {
    return parseDocument(await decompressText(bytes))
  } catch {
    return undefined
  }
}

function docName({ pk, sk }: Key): string {
  return `${nameIn(pk)} ${sk}`
}

/** The newest documents of some posts, by id. */
export async function findDocuments(table: Table, postIds: number[]): Promise<Map<number, SearchDocument>> {
  const docs = await findDocsAt(table, postIds.map(docKey))
  return new Map([...docs.values()].map(({ doc }) => [doc.id, doc]))
}

/** More than one search looks through. */
const KEPT_BYTES = 35_000_000
const BYTES_PER_WORD = 50
const OTHER_BYTES = 1_000

/** What searches keep, by the key of the document and its revision. */
export const keptDocumentsOf = perTable(() =>
  openByteCache<DocAt>(
    KEPT_BYTES,
    ({ doc: { title, short, body } }) =>
      OTHER_BYTES + BYTES_PER_WORD * (title.length + short.length + body.length),
  ),
)

type WantedDoc = { key: Key; revision: number }

/** `revision`: of the post that it contains. */
export type PendingDocuments = DocumentChange & { id: number; revision: number }

/**
 * The documents of pending posts, in their order: undefined for one that was merged since the state was read.
 * A newer document than the state knows of belongs to a change that is committed. A merge keeps none.
 */
export async function readPendingDocuments(
  table: Table,
  pending: PendingPost[],
  kept?: ByteCache<DocAt>,
): Promise<(PendingDocuments | undefined)[]> {
  const wanted = pending.flatMap(post => [newestOf(post) ?? [], mergedOf(post) ?? []].flat())
  const known = new Map(wanted.map(one => [nameOf(one), kept?.get(nameOf(one))]))
  const missing = wanted.filter(one => !known.get(nameOf(one))).map(({ key }) => key)
  const read = await findDocsAt(table, missing)
  for (const key of missing) {
    const doc = read.get(docName(key))
    if (doc) kept?.set(nameOf({ key, revision: doc.revision }), doc)
  }
  const docOf = (one: WantedDoc | undefined) => one && (known.get(nameOf(one)) ?? read.get(docName(one.key)))
  return pending.map(post => {
    const { id, newest, merged } = post
    const [before, after] = [docOf(mergedOf(post)), docOf(newestOf(post))]
    const isComplete = (merged === undefined || before || !kept) && (newest.state === 'left' || after)
    const revision = after?.revision ?? newest.revision
    return isComplete ? { id, revision, before: before?.doc, after: after?.doc } : undefined
  })
}

function newestOf({ id, newest }: PendingPost): WantedDoc | undefined {
  if (newest.state === 'left') return undefined
  return { key: newest.state === 'due' ? dueDocKey(id) : docKey(id), revision: newest.revision }
}

function mergedOf({ id, merged }: PendingPost): WantedDoc | undefined {
  return merged === undefined ? undefined : { key: replacedDocKey(id, merged), revision: merged }
}

function nameOf({ key, revision }: WantedDoc): string {
  return `${docName(key)} ${revision}`
}
