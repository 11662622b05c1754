// Writes the search index of a generated site: the documents, and few segments, as after a rebuild.
import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { belongsInIndex, documentOf, type SearchDocument } from '../../shared/search/document.ts'
import { entriesOf } from '../../shared/search/entry.ts'
import { dueActions, packDoc } from '../../shared/search/index-actions.ts'
import { NO_SEGMENTS, type Segment, saveManifest } from '../../shared/search/manifest.ts'
import { writeSegment } from '../../shared/search/segment-writer.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { docKey } from '../../shared/table/design.ts'

export type IndexLoad = Awaited<ReturnType<typeof openIndexLoad>>

const POSTS_OF_SEGMENT = 2_000

export async function openIndexLoad(table: Table) {
  const segments: Segment[] = []
  let docs: SearchDocument[] = []

  /** Returns the actions that write the document of the post, for searches from its time on. */
  const add = async (post: Post, body: string): Promise<Action[]> => {
    if (!belongsInIndex(post)) {
      return await dueActions({ before: null, after: post, text: () => textOf(body) })
    }
    const doc = documentOf(post, textOf(body))
    docs.push(doc)
    return [{ Put: { Item: { ...docKey(doc.id), ...(await packDoc(doc, post.revision)) } } }]
  }

  const writeDocuments = async (): Promise<void> => {
    if (docs.length === 0) return
    const entries = entriesOf(docs.map(after => ({ before: undefined, after })))
    const counts = { added: docs.length, removed: 0 }
    docs = []
    segments.push(await writeSegment(table, `loaded-${segments.length}`, entries, counts))
  }

  /** Call between two batches of posts. */
  const writeFull = async (): Promise<void> => {
    if (docs.length >= POSTS_OF_SEGMENT) await writeDocuments()
  }

  const write = async (): Promise<void> => {
    await writeDocuments()
    await saveManifest(table, undefined, { ...NO_SEGMENTS, segments })
    const log = (_: string, message: string) => Promise.reject(new Error(message))
    await updateIndex({ table, clock: Date.now, log })
  }
  return { add, writeFull, write }
}
