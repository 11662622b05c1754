// Comments for tests: guests submit and read them, admins moderate them, and many are inserted in bulk.
import { putComment } from '../../shared/comments/commands.ts'
import {
  type CommentContent,
  type CommentState,
  listEntriesOf,
  newCommentState,
  type Status,
} from '../../shared/comments/comment.ts'
import { adminComments, comments, guestComments } from '../../shared/comments/contract.ts'
import { writeWithLists } from '../../shared/lists/counted-list.ts'
import type { Table } from '../../shared/table/client.ts'
import { nextId } from '../../shared/table/next-id.ts'
import type { World } from './world.ts'

export const GUEST_COMMENT = { author_name: 'Ada', author_email: 'Ada@Example.com', body: 'Well said.' }

export function commentWorld(world: World) {
  const submit = (slug: string, body: Record<string, unknown> = {}) =>
    world.call(guestComments.createGuestComment, { params: { slug }, body: { ...GUEST_COMMENT, ...body } })
  const list = (slug: string, query: Record<string, string | number> = {}) =>
    world.call(comments.listComments, { params: { slug }, query })

  const asAdmin = (id: number) => ({ token: world.admin, params: { id } })
  const approve = (id: number) => world.call(adminComments.approveComment, asAdmin(id))
  const reject = (id: number) => world.call(adminComments.rejectComment, asAdmin(id))
  const remove = (id: number) => world.call(adminComments.deleteComment, asAdmin(id))

  /** Returns the comment as it was before the approval. */
  const submitApproved = async (slug: string, body: Record<string, unknown> = {}) => {
    const { data } = await submit(slug, body)
    await approve(data.id)
    return data
  }

  return { submit, list, approve, reject, remove, submitApproved }
}

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
