// Rebuilds the search index while the service runs. Changes stay pending until it ends: searches find them.
import { randomUUID } from 'node:crypto'
import { currentMs } from '../../../shared/http/time.ts'
import { textOf } from '../../../shared/posts/html-text.ts'
import { Post } from '../../../shared/posts/post.ts'
import { bodyTextOf } from '../../../shared/posts/store/bodies.ts'
import {
  belongsInIndex,
  documentOf,
  documentText,
  type SearchDocument,
} from '../../../shared/search/document.ts'
import { type DocItem, storedDoc } from '../../../shared/search/documents.ts'
import { entriesOf } from '../../../shared/search/entry.ts'
import { digestOf, packDoc, writeDoc } from '../../../shared/search/index-actions.ts'
import { readIndexState } from '../../../shared/search/index-state.ts'
import {
  holdLock,
  type Manifest,
  NO_SEGMENTS,
  releaseLock,
  type Segment,
  saveManifest,
} from '../../../shared/search/manifest.ts'
import type { PendingPost } from '../../../shared/search/pending.ts'
import { removeAbandoned, startSegment, writeSegment } from '../../../shared/search/segment-writer.ts'
import { CONFLICT, ConditionFailed, hasRevision, isNew } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { mapConcurrently, slices } from '../../../shared/table/concurrency.ts'
import { bodyKey, docKey, type Item, type Key, nameIn, postKey } from '../../../shared/table/design.ts'
import { lastId } from '../../../shared/table/next-id.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { isBusy } from '../../../shared/table/retrying.ts'
import { type Context, OperatorError } from '../command.ts'
import { openEstimate } from '../terminal.ts'

/** The words of so many posts take about 100 MB of memory. */
const POSTS_OF_SEGMENT = 2_000
const POSTS_AT_ONCE = 30
const BATCHES_AT_ONCE = 4
/** It is held again for each segment. If the process dies, it expires. */
const LOCKED_MS = 120_000

/** By post id: the revision of which the new segments have the words, or of a post that is not public. */
type Revisions = Map<number, number>

/**
 * Returns the number of posts. If it is interrupted, the index stays as it was. Throws OperatorError while
 * another rebuild is running. The index worker merges the new segments later, as it does all.
 */
export async function rebuildIndex({
  target: { table },
  progress,
}: Pick<Context, 'target' | 'progress'>): Promise<number> {
  const holder = randomUUID()
  const hold = async () => {
    const nowMs = currentMs()
    if (await holdLock(table, { holder, nowMs, untilMs: nowMs + LOCKED_MS })) return
    throw new OperatorError(
      'Another rebuild of the index is running, or was interrupted. Try again two minutes after it stopped.',
    )
  }
  await hold()
  try {
    let manifest = await stopRuns(table)
    const last = await lastId(table, 'post')
    // The ids are those that were given to posts, so that no scan is needed.
    const ids = Array.from({ length: last }, (_, n) => n + 1)
    const left = openEstimate(() => performance.now())
    const revisions: Revisions = new Map()
    const segments: Segment[] = []
    for (const some of slices(ids, POSTS_OF_SEGMENT)) {
      await hold()
      const docs = await readDocuments(table, some, revisions)
      if (docs.length > 0) {
        const started = await startSegment(table, manifest)
        manifest = started.manifest
        const entries = entriesOf(docs.map(after => ({ before: undefined, after })))
        segments.push(await writeSegment(table, started.name, entries))
      }
      const read = some.at(-1) ?? 0
      progress.show(`Indexed ${read} of ${last} posts${left(read, last)}`)
    }
    await swap(table, manifest, segments, revisions)
    return segments.reduce((sum, { added }) => sum + added, 0)
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw new OperatorError('Another process wrote the search index at the same time. Run the command again.')
  } finally {
    await releaseLock(table, holder)
  }
}

/** A run of the index worker that began before the lock was taken can save no manifest from now on. */
async function stopRuns(table: Table): Promise<Manifest> {
  const saved = await retryOnConflict(async () => {
    const { manifest } = await readIndexState(table)
    return await saveManifest(table, manifest, manifest ?? NO_SEGMENTS)
  })
  return await removeAbandoned(table, saved)
}

async function readDocuments(table: Table, ids: number[], revisions: Revisions): Promise<SearchDocument[]> {
  const docs: SearchDocument[] = []
  const failOn = (id: number) => {
    throw new OperatorError(`Post ${id} cannot be read, so it cannot be indexed. Run the doctor for details.`)
  }
  await mapConcurrently(slices(ids, POSTS_AT_ONCE), BATCHES_AT_ONCE, async some => {
    for (const post of await findPostsToIndex(table, some, failOn)) {
      const saved = await saveDocument(table, post)
      revisions.set(post.id, saved.revision)
      if (saved.doc) docs.push(saved.doc)
    }
  })
  return docs
}

/** A change that came after its post was read stays pending. */
async function swap(
  table: Table,
  before: Manifest,
  segments: Segment[],
  revisions: Revisions,
): Promise<void> {
  const { pending } = await readIndexState(table)
  const replaced = {
    at_ms: currentMs(),
    merged: new Map(pending.flatMap(post => mergedBy(post, revisions))),
    segments: before.segments.map(({ name, items }) => ({ name, items })),
  }
  await saveManifest(table, before, { segments, obsolete: [...before.obsolete, replaced], building: [] })
}

/** The revision of a pending post that the rebuild contains, if it contains a pending change of it. */
function mergedBy({ id, markers, merged }: PendingPost, revisions: Revisions): [number, number][] {
  const read = revisions.get(id)
  // A post that was not read was deleted before, if the old index had it, and else created after.
  if (read === undefined) return merged === undefined ? [] : [[id, Number.MAX_SAFE_INTEGER]]
  return markers.some(({ revision }) => revision <= read) ? [[id, read]] : []
}

/** `doc`: what the index must have of it, if anything. */
type PostToIndex = {
  id: number
  post: Post | undefined
  doc: SearchDocument | undefined
  stored: DocItem | undefined
}

/** Ids without a post and without a document are left out, and those that cannot be read. */
export async function findPostsToIndex(
  table: Table,
  ids: number[],
  onUnreadable: (id: number) => void,
): Promise<PostToIndex[]> {
  const items = await table.findMany(ids.flatMap(id => [postKey(id), bodyKey(id), docKey(id)]))
  const byId = Map.groupBy(items, ({ pk }) => Number(nameIn(pk)))
  const posts = [...byId].map(async ([id, ofPost]) => {
    try {
      return [await toIndex(table, id, ofPost)]
    } catch (error) {
      if (isBusy(error)) throw error
      onUnreadable(id)
      return []
    }
  })
  return (await Promise.all(posts)).flat()
}

/** A body may be replaced while it is read, but not often. */
const ATTEMPTS = 3

async function toIndex(table: Table, id: number, items: Item[], attempt = 1): Promise<PostToIndex> {
  const itemAt = (key: Key) => items.find(({ pk, sk }) => pk === key.pk && sk === key.sk)
  const stored = storedDoc(itemAt(docKey(id)))
  const item = itemAt(postKey(id))
  const post = item && Post.parse(item)
  if (!post || !belongsInIndex(post)) return { id, post, doc: undefined, stored }
  const body = await bodyTextOf(table, post, itemAt(bodyKey(id)))
  if (body !== undefined) return { id, post, doc: documentOf(post, textOf(body)), stored }
  if (attempt === ATTEMPTS) throw new Error(`The body of post ${id} is missing.`)
  return await readAgain(table, id, attempt + 1)
}

async function readAgain(table: Table, id: number, attempt = 1): Promise<PostToIndex> {
  const items = await table.findMany([postKey(id), bodyKey(id), docKey(id)])
  return await toIndex(table, id, items, attempt)
}

export function isUpToDate({ doc, stored }: PostToIndex): boolean {
  return doc ? stored?.digest === digestOf(documentText(doc)) : stored === undefined
}

/** Writes the document, without a marker, because the segments contain it after the rebuild. */
async function saveDocument(table: Table, first: PostToIndex) {
  let isFirst = true
  return await retryOnConflict(async () => {
    const current = isFirst ? first : await readAgain(table, first.id)
    isFirst = false
    const { id, post, doc, stored } = current
    const revision = post?.revision ?? Number.MAX_SAFE_INTEGER
    if (isUpToDate(current)) return { revision: stored?.revision ?? revision, doc }
    const isAsRead = post ? hasRevision(post.revision) : isNew
    await table.transact([
      writeDoc(id, doc && (await packDoc(doc, revision)), stored),
      { onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...isAsRead } },
    ])
    return { revision, doc }
  })
}
