// What the index holds of a post, noted before and after it is written; and which posts every search leaves out.
import * as z from 'zod/mini'
import type { Table } from '../../table/client.ts'
import { docKey, nameIn, UNINDEXED_PARTITION, unindexedKey } from '../../table/design.ts'
import { Packed, unpackText } from '../../table/large-text.ts'
import { Doc } from '../doc.ts'

/**
 * Whole: the index holds this one document. Open: it may hold something of each, since a run is under way or broke
 * off. Rebuilding is open, too, and says that no run was.
 */
export const Noted = z.lazy(() =>
  z.object({ state: z.enum(['whole', 'open', 'rebuilding']), docs: z.array(Doc) }),
)
export type Noted = z.infer<typeof Noted>

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

const Unindexed = z.object({ sk: z.string(), revision: z.int() })

/** The posts that the index may still hold though they have left public view. */
export async function listUnindexed(table: Table): Promise<Set<number>> {
  return new Set((await table.query({ pk: UNINDEXED_PARTITION }, Unindexed)).map(({ sk }) => Number(sk)))
}

/** The revision of the post that took it from public view, where the index has not followed yet. */
export async function findUnindexed(table: Table, postId: number): Promise<number | undefined> {
  return (await table.find(unindexedKey(postId), Unindexed))?.revision
}
