// Changing and deleting a post: read, decide by the rules, write; again from the start when somebody was faster.

import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import { slugTaken } from '../../slugs/reserve.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import { packText, unpackText } from '../../table/large-text.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { AdminPost, PostChange } from '../fields.ts'
import { applyChange, type Post, publish, unpublish } from '../post.ts'
import { findPost, type StoredPost } from '../store/bodies.ts'
import { namesFor } from '../store/names.ts'
import { findReferences } from '../store/references.ts'
import { adminPost } from '../view.ts'
import { deleteBody, replaceBody } from './body.ts'
import { checkReferences } from './check-references.ts'
import { commitPost } from './commit.ts'

export type PostRef = {
  id: number
  /** Throws PRECONDITION_FAILED if the caller has seen another version. */
  requireMatch: (version: number) => void
}

/** Returns the very post that it was given if there is nothing to change. */
type Rule = (post: Post, body: string, nowSeconds: number) => Post

export function updatePost(work: UnitOfWork, ref: PostRef, change: PostChange): Promise<Reply<AdminPost>> {
  return changeByRule(
    work,
    ref,
    (post, body, nowSeconds) => applyChange(post, change, body, nowSeconds),
    change,
  )
}

export function publishPost(work: UnitOfWork, ref: PostRef): Promise<Reply<AdminPost>> {
  return changeByRule(work, ref, (post, _body, nowSeconds) => publish(post, nowSeconds))
}

export function unpublishPost(work: UnitOfWork, ref: PostRef): Promise<Reply<AdminPost>> {
  return changeByRule(work, ref, (post, _body, nowSeconds) => unpublish(post, nowSeconds))
}

async function changeByRule(
  work: UnitOfWork,
  { id, requireMatch }: PostRef,
  rule: Rule,
  change: PostChange = {},
): Promise<Reply<AdminPost>> {
  const { table, nowMs, nowSeconds } = work
  const packedOnce = once(() => packText(table, change.body ?? '', nowMs))

  const decide = async (): Promise<Reply<AdminPost>> => {
    const [stored, references] = await Promise.all([
      findPost(table, id),
      findReferences(table, change, nowMs),
    ])
    if (!stored) throw notFound('Post')
    requireMatch(stored.post.version)
    checkReferences(change, references, id)
    const ids = new Set(references.categories.map(category => category.id))
    // A category that is gone has left every post already; the next write says so in the record.
    const present = { ...stored.post, category_ids: stored.post.category_ids.filter(one => ids.has(one)) }
    const body = change.body ?? (await bodyOf(work, stored))
    const after = rule(present, body, nowSeconds)
    const names = await namesFor(table, [after], references.categories, nowMs)
    const reply = versioned(adminPost(after, body, names, nowSeconds), after.version)
    if (after === present) return reply
    const isNewBody = after.body_version !== present.body_version
    const bodyActions = isNewBody
      ? replaceBody(id, after.body_version, await packedOnce(), stored.bodyItem, nowMs)
      : []
    await commitPost(work, { before: stored.post, after, bodyActions }, reply)
    return reply
  }
  return await retryOnConflict(decide).catch(slugTaken)
}

export function deletePost(work: UnitOfWork, { id, requireMatch }: PostRef): Promise<void> {
  return retryOnConflict(async () => {
    const stored = await findPost(work.table, id)
    if (!stored) throw notFound('Post')
    requireMatch(stored.post.version)
    const bodyActions = deleteBody(stored.bodyItem, id, work.nowMs)
    await commitPost(work, { before: stored.post, after: null, bodyActions })
  })
}

/** A body whose parts are gone was replaced since its item was read. */
async function bodyOf({ table }: UnitOfWork, { bodyItem }: StoredPost): Promise<string> {
  const body = await unpackText(table, bodyItem)
  if (body === undefined) throw new ConditionFailed([CONFLICT])
  return body
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
