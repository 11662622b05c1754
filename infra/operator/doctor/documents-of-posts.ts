// Compares the stored documents with the posts, and replaces those that differ. For the operator: requests
// write the document of a post in the transaction of the post.

import { textOf } from '../../../shared/posts/html-text.ts'
import { Post } from '../../../shared/posts/post.ts'
import { bodyTextOf } from '../../../shared/posts/store/bodies.ts'
import {
  belongsInIndex,
  documentOf,
  documentText,
  type SearchDocument,
} from '../../../shared/search/document.ts'
import { type StoredDoc, storedDoc } from '../../../shared/search/documents.ts'
import { digestOf, packDoc, writeDoc } from '../../../shared/search/index-actions.ts'
import { type Action, CONFLICT, hasRevision } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import type { Item } from '../../../shared/table/design.ts'
import { bodyKey, docKey, nameIn, postKey } from '../../../shared/table/design.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { isBusy } from '../../../shared/table/retrying.ts'

/** `doc`: what the index must have of it, if anything. */
export type PostToIndex = {
  id: number
  post: Post | undefined
  doc: SearchDocument | undefined
  stored: StoredDoc
}
export type UnreadablePost = { id: number; problem: unknown }

/** Ids without a post and without a document are left out. */
export async function findPostsToIndex(
  table: Table,
  ids: number[],
): Promise<(PostToIndex | UnreadablePost)[]> {
  const items = await table.findMany(ids.flatMap(id => [postKey(id), bodyKey(id), docKey(id)]))
  const byId = Map.groupBy(items, ({ pk }) => Number(nameIn(pk)))
  return await Promise.all(
    [...byId].map(([id, ofPost]) =>
      toIndex(table, id, ofPost).catch(problem => {
        if (isBusy(problem)) throw problem
        return { id, problem }
      }),
    ),
  )
}

async function toIndex(table: Table, id: number, items: Item[]): Promise<PostToIndex> {
  const itemAt = (key: { pk: string; sk: string }) =>
    items.find(({ pk, sk }) => pk === key.pk && sk === key.sk)
  const stored = storedDoc(itemAt(docKey(id)))
  const item = itemAt(postKey(id))
  const post = item && Post.parse(item)
  if (!post || !belongsInIndex(post)) return { id, post, doc: undefined, stored }
  const body = await bodyTextOf(table, post, itemAt(bodyKey(id)))
  return body === undefined
    ? await readAgain(table, id)
    : { id, post, doc: documentOf(post, textOf(body)), stored }
}

async function readAgain(table: Table, id: number): Promise<PostToIndex> {
  const [post] = await findPostsToIndex(table, [id])
  if (!post) return { id, post: undefined, doc: undefined, stored: storedDoc(undefined) }
  if ('problem' in post) throw post.problem
  return post
}

export function isUpToDate({ doc, stored }: PostToIndex): boolean {
  return doc ? stored.item?.digest === digestOf(documentText(doc)) : stored.stamp === undefined
}

export type SavedDocument = { revision: number; doc: SearchDocument | undefined }

/** Writes the document for a rebuild, after which the segments contain it: without a marker. */
export async function saveDocument(table: Table, first: PostToIndex): Promise<SavedDocument> {
  let post: PostToIndex | undefined = first
  return await retryOnConflict(async () => {
    const current: PostToIndex = post ?? (await readAgain(table, first.id))
    post = undefined
    const { doc, stored } = current
    const revision = current.post?.revision ?? Number.MAX_SAFE_INTEGER
    if (isUpToDate(current)) return { revision: stored.item?.revision ?? revision, doc }
    const packed = doc && (await packDoc(doc, revision))
    await table.transact([writeDoc(first.id, packed, stored), ...isPostAsRead(current)])
    return { revision, doc }
  })
}

function isPostAsRead({ id, post }: PostToIndex): Action[] {
  const condition = post ? hasRevision(post.revision) : { ConditionExpression: 'attribute_not_exists(pk)' }
  return [{ onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...condition } }]
}
