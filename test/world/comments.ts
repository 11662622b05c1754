// Inserts many comments in bulk, for tests of later changes to them.
import { putComment } from '../../shared/comments/commands/write.ts'
import { type CommentContent, type CommentState, newCommentState } from '../../shared/comments/comment.ts'
import type { Status } from '../../shared/comments/contract.ts'
import { listEntriesOf } from '../../shared/comments/lists.ts'
import { writeWithLists } from '../../shared/lists/counted-list.ts'
import type { Table } from '../../shared/table/client.ts'
import { nextId } from '../../shared/table/next-id.ts'

export type CommentToInsert = {
  post_id: number
  /** An existing comment of the same post. */
  parent?: CommentState | undefined
  user_id?: number | null
  status?: Status
}

/** The most comments that fit one transaction with their list entries and counters. */
const COMMENTS_AT_ONCE = 7

/** Inserts comments in this order. */
export async function insertComments(
  table: Table,
  all: CommentToInsert[],
  nowSeconds = 0,
): Promise<CommentState[]> {
  const inserted: CommentState[] = []
  for (let n = 0; n < all.length; n += COMMENTS_AT_ONCE) {
    inserted.push(...(await insertSome(table, all.slice(n, n + COMMENTS_AT_ONCE), nowSeconds)))
  }
  return inserted
}

async function insertSome(
  table: Table,
  some: CommentToInsert[],
  created_at: number,
): Promise<CommentState[]> {
  const pairs: { content: CommentContent; state: CommentState }[] = []
  const ids = (await Promise.all(some.map(() => nextId(table, 'comment')))).sort((a, b) => a - b)
  for (const [n, { post_id, parent, user_id = null, status = 'approved' }] of some.entries()) {
    const id = ids[n] ?? 0
    const path = [...(parent?.path ?? []), id]
    const guest = user_id === null ? { name: 'Guest', email: 'guest@example.com' } : null
    const content = {
      id,
      post_id,
      path,
      user_id,
      guest,
      body: `Comment ${id}`,
      created_at,
      schema: 1 as const,
    }
    pairs.push({ content, state: { ...newCommentState(content, true), status } })
  }
  const states = pairs.map(({ state }) => state)
  await writeWithLists(table, { after: states.flatMap(listEntriesOf) }, listActions =>
    table.transact([...pairs.flatMap(({ content, state }) => putComment(content, state)), ...listActions]),
  )
  return states
}
