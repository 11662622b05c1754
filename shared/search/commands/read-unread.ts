// Reads the words of a post whose text is too long for the request that wrote it.
import { findPostWithBody } from '../../posts/store/bodies.ts'
import { CONFLICT, hasRevision, ignoreConditionFailed, isNew } from '../../table/action.ts'
import { docKey, postKey } from '../../table/design.ts'
import { isBusy } from '../../table/retrying.ts'
import { belongsInIndex } from '../document.ts'
import type { Marker } from '../pending.ts'
import { documentWithTimeLimit } from '../time-limit.ts'
import { packDoc } from './index-actions.ts'
import type { MergeContext } from './merge-pending.ts'

/** Does nothing if the post has changed since, if its words are known already, or if it cannot be read. */
export async function readUnread(context: MergeContext, marker: Marker): Promise<void> {
  try {
    await tryToRead(context, marker)
  } catch (problem) {
    if (isBusy(problem)) throw problem
    context.log('error', 'a post cannot be read, and is not found', {
      post: marker.id,
      problem: String(problem),
    })
  }
}

async function tryToRead({ table, nowMs, log }: MergeContext, { id, revision }: Marker): Promise<void> {
  const stored = await findPostWithBody(table, id)
  if (stored?.post.revision !== revision || !belongsInIndex(stored.post)) return
  const { post, body } = stored
  const doc = documentWithTimeLimit(post, body, problem =>
    log('error', 'the body of a post takes too long to read, and is not found', {
      post: id,
      problem: String(problem),
    }),
  )
  const { item, claims } = await packDoc(table, doc, revision, nowMs)
  await table
    .transact([
      { onConditionFailed: CONFLICT, Put: { Item: { ...docKey(id), ...item }, ...isNew } },
      { onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...hasRevision(revision) } },
      ...claims,
    ])
    .catch(ignoreConditionFailed)
}
