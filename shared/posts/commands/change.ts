// Changing and deleting a post: read, decide by the rules, write; again from the start when somebody was faster.

import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import { slugTaken } from '../../slugs/reserve.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import { packText, unpackText } from '../../table/large-text.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { AdminPost, PostChange } from '../fields.ts'
import type { Post } from '../post.ts'
import { findPost, type Stored } from '../store/bodies.ts'
import { namesFor } from '../store/names.ts'
import { readKnown } from '../store/references.ts'
import { adminPost } from '../view.ts'
import { deleteBody, replaceBody } from './body.ts'
import { check } from './check-references.ts'
import { commitPost } from './commit.ts'

type Asked = {
  id: number
  /** Throws PRECONDITION_FAILED when the caller has seen another version. */
  requireMatch: (version: number) => void
  change?: PostChange
  /** The rule: gives back the very post it was given when there is nothing to change. */
  rule: (post: Post, body: string, nowSeconds: number) => Post
}

export async function changePost(work: UnitOfWork, { id, requireMatch, change = {}, rule }: Asked) {
  const { table, nowMs, nowSeconds } = work
  const packedOnce = once(() => packText(table, change.body ?? '', nowMs))

  const decide = async (): Promise<Reply<AdminPost>> => {
    const [stored, known] = await Promise.all([findPost(table, id), readKnown(table, change, nowMs)])
    if (!stored) throw notFound('Post')
    requireMatch(stored.post.version)
    check(change, known, id)
    const ids = new Set(known.categories.map(category => category.id))
    // A category that is gone has left every post already; the next write says so in the record.
    const present = { ...stored.post, category_ids: stored.post.category_ids.filter(one => ids.has(one)) }
    const body = change.body ?? (await bodyOf(work, stored))
    const after = rule(present, body, nowSeconds)
    const names = await namesFor(table, [after], known.categories, nowMs)
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

export function deletePost(work: UnitOfWork, id: number, requireMatch: Asked['requireMatch']): Promise<void> {
  return retryOnConflict(async () => {
    const stored = await findPost(work.table, id)
    if (!stored) throw notFound('Post')
    requireMatch(stored.post.version)
    const bodyActions = deleteBody(stored.bodyItem, id, work.nowMs)
    await commitPost(work, { before: stored.post, after: null, bodyActions })
  })
}

/** A body whose parts are gone was replaced since its item was read. */
async function bodyOf({ table }: UnitOfWork, { bodyItem }: Stored): Promise<string> {
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
