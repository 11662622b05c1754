// Reads the index records: what the index contains of each post. Reads the tombstones as well.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { docKey, nameIn, UNINDEXED_PARTITION, unindexedKey } from '../../table/design.ts'
import { PackedText, unpackText } from '../../table/large-text.ts'
import { SearchDocument } from '../document.ts'

/**
 * `indexed`: the index contains this one document. `pending`: an update may have stopped halfway, so the
 * index may contain parts of each document. `rebuilding`: pending, set by a reindex.
 */
const State = z.enum(['indexed', 'pending', 'rebuilding'])
type State = z.infer<typeof State>

/** Stored records keep the first names of the states. */
const STORED_STATES = { indexed: 'whole', pending: 'open', rebuilding: 'rebuilding' } as const
const StoredState = z.pipe(
  z.enum(['whole', 'open', 'rebuilding']),
  z.transform((stored): State => State.options.find(state => STORED_STATES[state] === stored) ?? 'pending'),
)

const IndexRecord = z.lazy(() => z.object({ state: StoredState, docs: z.array(SearchDocument) }))
export type IndexRecord = z.output<typeof IndexRecord>

export const IndexRecordItem = z.extend(PackedText, { stamp: z.string() })
type IndexRecordItem = z.infer<typeof IndexRecordItem>
export type StoredIndexRecord = IndexRecord & { stored: IndexRecordItem | undefined }

/** The record of a post that was never indexed. */
export const NOT_INDEXED: StoredIndexRecord = { state: 'indexed', docs: [], stored: undefined }

export async function findIndexRecord(table: Table, postId: number): Promise<StoredIndexRecord> {
  const stored = await table.find(docKey(postId), IndexRecordItem)
  if (!stored) return NOT_INDEXED
  const record = await readIndexRecord(table, stored)
  if (!record) throw new Error(`The index record of post ${postId} was replaced while it was read.`)
  return { ...record, stored }
}

/** The newest documents of some posts, by id. The reads are eventually consistent. */
export async function findDocuments(table: Table, postIds: number[]): Promise<Map<number, SearchDocument>> {
  const items = await table.findMany(postIds.map(docKey), { isEventual: true })
  const docs = await Promise.all(
    items.map(async item => {
      const record = await readIndexRecord(table, IndexRecordItem.parse(item))
      const { docs } = record ?? (await findIndexRecord(table, Number(nameIn(item.pk))))
      return docs.slice(-1)
    }),
  )
  return new Map(docs.flat().map(doc => [doc.id, doc]))
}

/** Undefined when the record was replaced in between. */
export async function readIndexRecord(
  table: Table,
  stored: IndexRecordItem,
): Promise<IndexRecord | undefined> {
  const text = await unpackText(table, stored)
  return text === undefined ? undefined : IndexRecord.parse(JSON.parse(text))
}

export function toText({ state, docs }: IndexRecord): string {
  return JSON.stringify({ state: STORED_STATES[state], docs })
}

const Tombstone = z.object({ sk: z.string(), revision: z.int() })

/** Posts that have left public view, but may still be in the index. */
export async function listTombstones(table: Table): Promise<Set<number>> {
  return new Set((await table.query({ pk: UNINDEXED_PARTITION }, Tombstone)).map(({ sk }) => Number(sk)))
}

/** The revision of the post with which it left public view; undefined without a tombstone. */
export async function findTombstone(table: Table, postId: number): Promise<number | undefined> {
  return (await table.find(unindexedKey(postId), Tombstone))?.revision
}
