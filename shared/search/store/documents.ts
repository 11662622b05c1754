// Reads the documents of posts: what the index contains of each, or will contain.
import * as z from 'zod/mini'
import { PackedText, unpackText } from '../../table/blob.ts'
import type { Table } from '../../table/client.ts'
import { docKey, type Item, type Key, nameIn } from '../../table/design.ts'
import { parseDocument, type SearchDocument } from '../document.ts'

/** `revision` is that of the post from which it was made. `digest` tells equal documents. */
export const DocItem = z.lazy(() =>
  z.extend(PackedText, {
    revision: z.int(),
    stamp: z.string(),
    digest: z.string(),
  }),
)
export type DocItem = z.infer<typeof DocItem>

/** `stamp` also of an item that cannot be read, which is replaced like any other. */
export type StoredDoc = { stamp: string | undefined; item: DocItem | undefined }

export const NO_DOC: StoredDoc = { stamp: undefined, item: undefined }
const Stamp = z.lazy(() => z.object({ stamp: z.optional(z.string()) }))

export function storedDoc(item: Item | undefined): StoredDoc {
  if (!item) return NO_DOC
  return { stamp: Stamp.parse(item).stamp, item: DocItem.safeParse(item).data }
}

export type DocAt = { revision: number; doc: SearchDocument }

/** The stored documents by the text of their key, without unreadable ones and those replaced since. */
export async function findDocsAt(table: Table, keys: Key[]): Promise<Map<string, DocAt>> {
  const items = await table.findMany(keys)
  const docs = await Promise.all(
    items.map(async item => {
      const { item: stored } = storedDoc(item)
      const text = stored && (await unpackText(table, stored))
      if (!stored || text === undefined) return []
      return [[docName(item), { revision: stored.revision, doc: parseDocument(text) }] as const]
    }),
  )
  return new Map(docs.flat())
}

export function docName({ pk, sk }: Key): string {
  return `${nameIn(pk)} ${sk}`
}

/** The newest documents of some posts, by id. */
export async function findDocuments(table: Table, postIds: number[]): Promise<Map<number, SearchDocument>> {
  const docs = await findDocsAt(table, postIds.map(docKey))
  return new Map([...docs.values()].map(({ doc }) => [doc.id, doc]))
}
