// Changes and deletes posts: read, apply a rule, commit; after a concurrent write, start again.
import { findAuthors } from '../../accounts/store/users.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { notFound } from '../../http/errors.ts'
import { noData, type Reply, versioned } from '../../http/reply.ts'
import { slugTaken } from '../../slugs/reserve.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import { type PackedText, packText, unpackText } from '../../table/blob.ts'
import type { Table } from '../../table/client.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { AdminPost, PostChange } from '../fields.ts'
import { applyChange, type Post } from '../post.ts'
import { findPostToChange, type StoredPost } from '../store/bodies.ts'
import { adminPost, namesOf } from '../view.ts'
import { commitPost, deleteBody, replaceBody } from './commit.ts'
import { checkReferences, findReferences, type PostReferences } from './references.ts'

type PostRef = {
  id: number
  /** Throws PRECONDITION_FAILED if the caller expects another version. */
  requireMatch: (version: number) => void
}

/** Publishing and unpublishing are changes of `is_published`. */
export async function updatePost(
  work: UnitOfWork,
  { id, requireMatch }: PostRef,
  change: PostChange,
): Promise<Reply<AdminPost>> {
  const { table, nowMs } = work
  let packing: Promise<PackedText> | undefined

  const attempt = async (): Promise<Reply<AdminPost>> => {
    const [stored, references] = await Promise.all([
      findPostToChange(table, id),
      findReferences(table, {
        slug: change.slug,
        authorIds: change.author_id === undefined ? [] : [change.author_id],
      }),
    ])
    if (!stored) throw notFound('Post')
    requireMatch(stored.post.version)
    const nowSeconds = timeOfChange(work, stored.post)
    checkReferences(change, references, id)
    const existing = new Set(references.categories.map(category => category.id))
    // Deleted categories stay in the record until the post is written the next time.
    const cleaned = {
      ...stored.post,
      category_ids: stored.post.category_ids.filter(id => existing.has(id)),
    }
    const body = change.body ?? (await bodyOf(work, stored))
    const after = applyChange(cleaned, change, body, nowSeconds)
    const reply = replyTo(table, after, body, references, nowSeconds)
    reply.catch(() => undefined)
    if (after === cleaned) return await reply
    const isNewBody = after.body_version !== cleaned.body_version
    // A further attempt uses the text that the first one has packed.
    if (isNewBody) packing ??= packText(table, body, nowMs)
    const packed = isNewBody && (await packing)
    const bodyActions = packed ? replaceBody(id, after.body_version, packed, stored.bodyItem, nowMs) : []
    const write = { before: stored.post, after, body, bodyActions, doc: stored.doc }
    await commitPost({ ...work, nowSeconds }, write, reply)
    return await reply
  }
  return await retryOnConflict(attempt).catch(slugTaken)
}

/** Reads the author while the commit reads the lists, unless the references contain it. */
async function replyTo(
  table: Table,
  post: Post,
  body: string,
  { categories, authors }: PostReferences,
  nowSeconds: number,
): Promise<Reply<AdminPost>> {
  const { author_id: id } = post
  const names = namesOf(categories, authors.has(id) ? authors : await findAuthors(table, [id]))
  return versioned(adminPost(post, body, names, nowSeconds), post.version)
}

export function deletePost(work: UnitOfWork, { id, requireMatch }: PostRef) {
  return retryOnConflict(async () => {
    const stored = await findPostToChange(work.table, id)
    if (!stored) throw notFound('Post')
    requireMatch(stored.post.version)
    const { post: before, doc } = stored
    const bodyActions = deleteBody(stored.bodyItem, id, work.nowMs)
    const nowSeconds = timeOfChange(work, before)
    const reply = noData()
    await commitPost({ ...work, nowSeconds }, { before, after: null, body: '', bodyActions, doc }, reply)
    return reply
  })
}

/** A slow request, or one with a slow clock, may find a post that went live after its own time. */
function timeOfChange({ nowSeconds }: UnitOfWork, { posted_at, announced }: Post): number {
  return announced ? Math.max(nowSeconds, posted_at ?? 0) : nowSeconds
}

/** A body has no text if it was replaced since its item was read. */
async function bodyOf({ table }: UnitOfWork, { bodyItem }: StoredPost): Promise<string> {
  const body = await unpackText(table, bodyItem)
  if (body === undefined) throw new ConditionFailed([CONFLICT])
  return body
}
