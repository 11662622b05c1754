// Exports comments, each after those that it replies to, since ids only rise.
import {
  type CommentContent,
  CommentState,
  CommentContent as Content,
  parentOf,
} from '../../../../shared/comments/comment.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { commentKey, postKey, threadKey } from '../../../../shared/table/design.ts'
import type { Key } from '../../../../shared/table/key.ts'
import type { ExportLine } from '../format.ts'
import type { Step } from './step.ts'

/** Leaves out comments that were deleted with their post or with a comment above them. */
async function readComments(table: Table, ids: number[]): Promise<ExportLine[]> {
  const contents = (await table.findMany(ids.map(commentKey)))
    .map(item => Content.parse(item))
    .sort((a, b) => a.id - b.id)
  const keys = contents.flatMap(content => [postKey(content.post_id), ...pathKeys(content)])
  const items = await table.findMany([...new Map(keys.map(key => [textOf(key), key])).values()])
  const found = new Map(items.map(item => [textOf(item), item]))
  return contents.flatMap(content => {
    const needed = [postKey(content.post_id), ...pathKeys(content)].map(key => found.get(textOf(key)))
    const own = needed.at(-1)
    return own && needed.every(item => item) ? [commentLine(content, CommentState.parse(own))] : []
  })
}

function pathKeys({ post_id, path }: CommentContent): Key[] {
  return path.map((_, n) => threadKey(post_id, path.slice(0, n + 1)))
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`
}

function commentLine(content: CommentContent, { status }: CommentState): ExportLine {
  const { id, post_id, user_id, guest, body, created_at } = content
  return {
    type: 'comment',
    id,
    post_id,
    parent_id: parentOf(content),
    user_id,
    guest,
    body,
    status,
    created_at: isoTime(created_at),
  }
}

export const COMMENTS_STEP: Step = { name: 'comments', counter: 'comment', atOnce: 50, read: readComments }
