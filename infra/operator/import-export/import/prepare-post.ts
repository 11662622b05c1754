// Prepares a post for its transaction: the record, its packed body, and its document in the search index.

import type { Origin } from '../../../../shared/imports/origins.ts'
import { ownActions, type PostWrite, replaceBody } from '../../../../shared/posts/commands/commit.ts'
import { textOf } from '../../../../shared/posts/html-text.ts'
import { listEntriesOf } from '../../../../shared/posts/lists.ts'
import type { Post } from '../../../../shared/posts/post.ts'
import { dueActions, replaceDoc } from '../../../../shared/search/commands/index-actions.ts'
import { belongsInIndex, documentOf, type SearchDocument } from '../../../../shared/search/document.ts'
import { NO_DOC } from '../../../../shared/search/store/documents.ts'
import { documentWithTimeLimit } from '../../../../shared/search/time-limit.ts'
import { packText } from '../../../../shared/table/large-text.ts'
import type { PostItem } from '../item.ts'
import { type ImportJob, originOf } from './job.ts'
import { postRecord } from './post-record.ts'
import { referencesOf } from './references.ts'

export type PreparedPost = {
  item: PostItem
  id: number
  origin: Origin
  write: PostWrite
  /** The number of its actions besides those on lists: the claim of its origin is one. */
  actions: number
  /** The names of the lists that it is in. */
  lists: string[]
  /** Equal for posts in the same lists. */
  listKey: string
  /** What the index will have of it; undefined if the post is not public. */
  doc: SearchDocument | undefined
  notes: string[]
}

export async function preparePost(job: ImportJob, item: PostItem, id: number): Promise<PreparedPost> {
  const { table } = job
  const nowMs = job.nowMs()
  const { author_id, category_ids, notes } = await referencesOf(job, item)
  const { body } = item.value
  const text = textOf(body)
  const post = postRecord(item.value, { id, author_id, category_ids }, text, Math.floor(nowMs / 1000))
  const doc = belongsInIndex(post) ? documentFor(post, body, text) : undefined
  const [packed, indexActions] = await Promise.all([
    packText(table, body, nowMs),
    doc
      ? replaceDoc(table, { id, revision: post.revision, doc }, NO_DOC, nowMs)
      : dueActions({ before: null, after: post, body }),
  ])
  const bodyActions = replaceBody(id, post.body_version, packed, undefined, nowMs)
  const write: PostWrite = {
    before: null,
    after: post,
    body,
    bodyActions,
    doc: NO_DOC,
    indexing: Promise.resolve({ actions: indexActions, messages: [] }),
  }
  const lists = listEntriesOf(post).map(({ list }) => list.name)
  return {
    item,
    id,
    origin: originOf(job, item, id),
    write,
    actions: 1 + ownActions(null, post).length + bodyActions.length + indexActions.length,
    lists,
    listKey: lists.toSorted().join(' '),
    doc,
    notes: [...(item.notes ?? []), ...notes],
  }
}

/** The length up to which the words of a text are found within a second, whatever it contains. */
const MAX_BLOCK_LENGTH = 100_000

function documentFor(post: Post & { posted_at: number }, body: string, text: string): SearchDocument {
  if (body.length > MAX_BLOCK_LENGTH) return documentWithTimeLimit(post, body, () => undefined)
  return documentOf(post, text)
}
