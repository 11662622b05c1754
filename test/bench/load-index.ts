// Writes the search index of a generated site: the documents, and few segments, as after a rebuild.
import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { dueActions, packDoc } from '../../shared/search/commands/index-actions.ts'
import { saveManifest } from '../../shared/search/commands/save-manifest.ts'
import { updateIndex } from '../../shared/search/commands/update-index.ts'
import { writeSegment } from '../../shared/search/commands/write-segment.ts'
import { belongsInIndex, documentOf, type SearchDocument } from '../../shared/search/document.ts'
import { entriesOf } from '../../shared/search/entry.ts'
import type { Segment } from '../../shared/search/manifest.ts'
import { needsPrefixes } from '../../shared/search/merge-plan.ts'
import { emptyManifest } from '../../shared/search/store/index-state.ts'
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
    if (!belongsInIndex(post)) return await dueActions({ before: null, after: post, body })
    const doc = documentOf(post, textOf(body))
    const { item } = await packDoc(table, doc, post.revision, post.updated_at * 1000)
    docs.push(doc)
    return [{ Put: { Item: { ...docKey(doc.id), ...item } } }]
  }

  const writeDocuments = async (): Promise<void> => {
    if (docs.length === 0) return
    const entries = entriesOf(docs.map(after => ({ before: undefined, after })))
    const counts = { added: docs.length, removed: 0, hasPrefixes: needsPrefixes(docs.length) }
    docs = []
    segments.push(await writeSegment(table, `loaded-${segments.length}`, entries, counts))
  }

  /** Call between two batches of posts. */
  const writeFull = async (): Promise<void> => {
    if (docs.length >= POSTS_OF_SEGMENT) await writeDocuments()
  }

  const write = async (): Promise<void> => {
    await writeDocuments()
    await saveManifest(table, undefined, { ...emptyManifest(), segments })
    const log = (_: string, message: string) => Promise.reject(new Error(message))
    while ((await updateIndex({ table, nowMs: Date.now(), log })) === 'paused');
  }
  return { add, writeFull, write }
}
