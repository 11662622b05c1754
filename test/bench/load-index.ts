// Writes the search index of a generated site: the documents, and one segment, as after a rebuild.
import { openSpill } from '../../infra/operator/reindex/spill.ts'
import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { belongsInIndex, documentOf } from '../../shared/search/document.ts'
import { dueActions, packDoc } from '../../shared/search/index-actions.ts'
import { NO_SEGMENTS, saveManifest } from '../../shared/search/manifest.ts'
import { mergeEntries } from '../../shared/search/merge-entries.ts'
import { needsPrefixes } from '../../shared/search/merge-segments.ts'
import { writeSegment } from '../../shared/search/segment-writer.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { docKey } from '../../shared/table/design.ts'

export type IndexLoad = Awaited<ReturnType<typeof openIndexLoad>>

const NAME = 'loaded'

export async function openIndexLoad(table: Table) {
  const spill = await openSpill()
  let added = 0

  /** Returns the actions that write the document of the post, for searches from its time on. */
  const add = async (post: Post, body: string): Promise<Action[]> => {
    if (!belongsInIndex(post)) {
      return await dueActions({ before: null, after: post, text: () => textOf(body) })
    }
    const doc = documentOf(post, textOf(body))
    const { item } = await packDoc(table, doc, post.revision, post.updated_at * 1000)
    await spill.add(doc)
    added++
    return [{ Put: { Item: { ...docKey(doc.id), ...item } } }]
  }

  const write = async (): Promise<void> => {
    const entries = mergeEntries(await spill.read(), true)
    const counts = { added, removed: 0, hasPrefixes: needsPrefixes(added) }
    const segment = await writeSegment(table, NAME, entries, counts)
    await saveManifest(table, undefined, { ...NO_SEGMENTS, segments: added > 0 ? [segment] : [] })
    await spill[Symbol.asyncDispose]()
  }
  return { add, write }
}
