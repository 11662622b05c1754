// Changes and deletes posts: read, apply a rule, commit; after a concurrent write, start again.
import { findAuthors } from '../../accounts/store/authors.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, versioned } from '../../http/reply.ts'
import { type NodeItems, readAhead } from '../../lists/counted-list.ts'
import { slugTaken } from '../../slugs/reserve.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { packText, unpackText } from '../../table/large-text.ts'
import { readTogether } from '../../table/read-together.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { AdminPost, PostChange } from '../fields.ts'
import { listChangeOf } from '../lists.ts'
import { applyChange, type Post, publish, unpublish } from '../post.ts'
import { findPostToChange, type StoredPost } from '../store/bodies.ts'
import { findReferences, type PostReferences } from '../store/references.ts'
import { rememberedPost, rememberPost } from '../store/remembered.ts'
import { adminPost, namesOf } from '../view.ts'
import { deleteBody, replaceBody } from './body.ts'
import { checkReferences } from './check-references.ts'
import { commitPost } from './commit.ts'

export type PostRef = {
  id: number
  /** Throws PRECONDITION_FAILED if the caller expects another version. */
  requireMatch: (version: number) => void
}

/** Returns `post` itself if there is nothing to change. `body` is the new body, else the stored one. */
type Rule = (post: Post, change: PostChange, body: string, nowSeconds: number) => Post

export function updatePost(work: UnitOfWork, ref: PostRef, change: PostChange): Promise<Reply<AdminPost>> {
  return changeByRule(work, ref, applyChange, change)
}

export function publishPost(work: UnitOfWork, ref: PostRef): Promise<Reply<AdminPost>> {
  return changeByRule(work, ref, (post, _change, _body, nowSeconds) => publish(post, nowSeconds))
}

export function unpublishPost(work: UnitOfWork, ref: PostRef): Promise<Reply<AdminPost>> {
  return changeByRule(work, ref, (post, _change, _body, nowSeconds) => unpublish(post, nowSeconds))
}

async function changeByRule(
  work: UnitOfWork,
  { id, requireMatch }: PostRef,
  rule: Rule,
  change: PostChange = {},
): Promise<Reply<AdminPost>> {
  const { table, nowMs, nowSeconds } = work
  const packBody = once(() => packText(table, change.body ?? '', nowMs))

  const attempt = async (): Promise<Reply<AdminPost>> => {
    const remembered = rememberedPost(table, id)
    const authorId = change.author_id ?? remembered?.author_id
    const together = readTogether(table)
    const [stored, references, nodesAhead] = await Promise.all([
      findPostToChange(together, id),
      findReferences(together, { slug: change.slug, authorIds: authorId === undefined ? [] : [authorId] }),
      remembered && readNodesAhead(together, remembered, rule, change, nowSeconds),
    ])
    if (!stored) throw notFound('Post')
    rememberPost(table, stored.post)
    requireMatch(stored.post.version)
    checkReferences(change, references, id)
    const existing = new Set(references.categories.map(category => category.id))
    // Deleted categories stay in the record until the post is written the next time.
    const cleaned = {
      ...stored.post,
      category_ids: stored.post.category_ids.filter(id => existing.has(id)),
    }
    const body = change.body ?? (await bodyOf(work, stored))
    const after = rule(cleaned, change, body, nowSeconds)
    const reply = replyTo(table, after, body, references, nowSeconds)
    reply.catch(() => undefined)
    if (after === cleaned) return await reply
    const isNewBody = after.body_version !== cleaned.body_version
    const bodyActions = isNewBody
      ? replaceBody(id, after.body_version, await packBody(), stored.bodyItem, nowMs)
      : []
    const write = { before: stored.post, after, body, bodyActions, doc: stored.doc, nodesAhead }
    await commitPost(work, write, reply)
    return await reply
  }
  return await retryOnConflict(attempt).catch(slugTaken)
}

/** Reads the nodes of the lists that the post is in, if it is as this function last saw it. */
function readNodesAhead(
  table: Table,
  remembered: Post,
  rule: Rule,
  { body: _, ...change }: PostChange,
  nowSeconds: number,
): Promise<NodeItems> {
  const after = rule(remembered, change, '', nowSeconds)
  return readAhead(table, listChangeOf(remembered, after))
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

export function deletePost(work: UnitOfWork, { id, requireMatch }: PostRef): Promise<void> {
  return retryOnConflict(async () => {
    const remembered = rememberedPost(work.table, id)
    const together = readTogether(work.table)
    const [stored, nodesAhead] = await Promise.all([
      findPostToChange(together, id),
      remembered && readAhead(together, listChangeOf(remembered, null)),
    ])
    if (!stored) throw notFound('Post')
    rememberPost(work.table, stored.post)
    requireMatch(stored.post.version)
    const { post: before, doc } = stored
    const bodyActions = deleteBody(stored.bodyItem, id, work.nowMs)
    await commitPost(work, { before, after: null, body: '', bodyActions, doc, nodesAhead })
  })
}

/** A body has no text if it was replaced since its item was read. */
async function bodyOf({ table }: UnitOfWork, { bodyItem }: StoredPost): Promise<string> {
  const body = await unpackText(table, bodyItem)
  if (body === undefined) throw new ConditionFailed([CONFLICT])
  return body
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= make()
    return result
  }
}
