// Reads the posts of a rebuild, and brings the documents of those up to date that differ.
import {
  findPostsToIndex,
  type PostToIndex,
  saveDocument,
} from '../../../shared/search/commands/documents-of-posts.ts'
import { mapConcurrently, slices } from '../../../shared/table/concurrency.ts'
import { lastId } from '../../../shared/table/next-id.ts'
import { openEstimate } from '../estimate.ts'
import { OperatorError } from '../operator-error.ts'
import type { RebuildLock } from './rebuild-lock.ts'
import type { ReindexContext } from './reindex.ts'
import type { Spill } from './spill.ts'

const POSTS_AT_ONCE = 30
const BATCHES_AT_ONCE = 4

/** By post id: the revision of which the new segment has the words, or of a post that is not public. */
export type Revisions = Map<number, number>

/** The ids are those that were given to posts, so that no scan is needed. */
export async function readPosts(
  { target: { table }, nowMs, progress }: ReindexContext,
  spill: Spill,
  lock: RebuildLock,
): Promise<{ revisions: Revisions; posts: number }> {
  const revisions: Revisions = new Map()
  const last = await lastId(table, 'post')
  const left = openEstimate(() => performance.now())
  let [read, posts] = [0, 0]
  const readOne = async (post: PostToIndex): Promise<void> => {
    const saved = await saveDocument(table, post, nowMs)
    revisions.set(post.id, saved.revision)
    if (!saved.doc) return
    posts++
    await spill.add(saved.doc)
  }
  const ids = slices(
    Array.from({ length: last }, (_, n) => n + 1),
    POSTS_AT_ONCE,
  )
  await mapConcurrently(ids, BATCHES_AT_ONCE, async some => {
    await lock.renew()
    for (const post of await findPostsToIndex(table, some)) {
      if ('problem' in post) throw unreadable(post.id)
      await readOne(post)
    }
    read += some.length
    progress.show(`Read the words of ${read} of ${last} posts${left(read, last)}`)
  })
  return { revisions, posts }
}

function unreadable(id: number): OperatorError {
  return new OperatorError(`Post ${id} cannot be read, so it cannot be indexed. Run the doctor for details.`)
}
