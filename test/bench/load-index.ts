// Writes the search index of a generated site: the documents, and one segment, as after a rebuild.
import { openSpill } from '../../infra/operator/reindex/spill.ts'
import { textOf } from '../../shared/posts/html-text.ts'
import type { Post } from '../../shared/posts/post.ts'
import { dueActions, packDoc } from '../../shared/search/commands/index-actions.ts'
import { saveManifest } from '../../shared/search/commands/save-manifest.ts'
import { writeSegment } from '../../shared/search/commands/write-segment.ts'
import { belongsInIndex, documentOf } from '../../shared/search/document.ts'
import { needsPrefixes } from '../../shared/search/merge-plan.ts'
import { mergeEntries } from '../../shared/search/segment-merge.ts'
import { emptyManifest } from '../../shared/search/store/index-state.ts'
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
    if (!belongsInIndex(post)) return await dueActions({ before: null, after: post, body })
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
    await saveManifest(table, undefined, { ...emptyManifest(), segments: added > 0 ? [segment] : [] })
    await spill[Symbol.asyncDispose]()
  }
  return { add, write }
}
