// Comments in a table of their own, with a cleanup that the test runs step by step.
import {
  changeStatus,
  cleanUpComments,
  createComment,
  deleteComment,
} from '../../shared/comments/commands.ts'
import { adminList, CommentState, ownList } from '../../shared/comments/comment.ts'
import { listComments, listPublic } from '../../shared/comments/store.ts'
import type { StepMessage } from '../../shared/events/message.ts'
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import { deletePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { openTable } from '../../shared/table/client.ts'
import { threadKey } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'

const NOW = 1_800_000_000
const PAGE = 100

export type CleanUpMessage = Extract<StepMessage, { kind: 'comments' }>

/** With small `listSizes`, neighbours are in different nodes of their lists. */
export async function openComments(listSizes?: { range: number; node: number }) {
  const { client, tableName, stop } = await newTable()
  const table = openTable(client, tableName, listSizes)
  /** Cleanup messages that were sent and not handled yet. */
  const messages: CleanUpMessage[] = []
  const work = startUnitOfWork({
    table,
    sender: {
      send: async sent => {
        for (const { queue, body } of sent) {
          if (queue === 'jobs' && 'kind' in body && body.kind === 'comments') messages.push(body)
        }
        return sent.map(() => ({ ok: true }))
      },
    },
    nowMs: NOW * 1000,
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    // A warning is no failure: on a busy machine an outbox row that was sent may not be deleted in time.
    log: (level, message) => {
      if (level === 'error') throw new Error(message)
    },
  })

  const post = async (title: string) =>
    (await createPost(work, { title, is_published: true, posted_at: NOW - 60 }, 1)).data

  const submit = async (
    post: { id: number },
    user_id: number | null,
    parent_id: number | null = null,
    isPending = false,
  ) => {
    const guest = user_id === null ? { name: 'G', email: 'g@example.com' } : null
    const comment = { post: post.id, parent_id, user_id, guest, body: 'B' }
    return (await createComment(work, comment, isPending)).data
  }

  const statesOf = (post: { id: number }) => table.query({ pk: threadKey(post.id, []).pk }, CommentState)

  /** The ids on all pages of a list; an error text unless they are as many as the total. */
  const idsOf = async (page: (n: number) => Promise<{ items: { id: number }[]; total: number }>) => {
    const ids: number[] = []
    for (let n = 1; ; n++) {
      const { items, total } = await page(n)
      ids.push(...items.map(({ id }) => id))
      if (items.length === 0 || ids.length >= total) {
        return ids.length === total ? ids : [`${ids.length} of ${total}`]
      }
    }
  }
  const read = {
    public: ({ slug }: { slug: string }) =>
      idsOf(page => listPublic(table, slug, { page, per_page: PAGE }, NOW)),
    own: (userId: number) => idsOf(page => listComments(table, ownList(userId), { page, per_page: PAGE })),
    admin: (status?: CommentState['status']) =>
      idsOf(page => listComments(table, adminList(status), { page, per_page: PAGE })),
  }

  return {
    table,
    client,
    messages,
    post,
    submit,
    read,
    statesOf,
    approve: (id: number) => changeStatus(work, id, 'approved'),
    reject: (id: number) => changeStatus(work, id, 'rejected'),
    remove: (id: number) => deleteComment(work, id),
    removePost: (post: { id: number }) => deletePost(work, { id: post.id, requireMatch: () => undefined }),
    cleanUp: (message: CleanUpMessage) => cleanUpComments(table, message),
    stop,
  }
}

/** The ids of the approved comments, oldest first. */
export function visibleIds(states: CommentState[]): number[] {
  return states
    .filter(({ status }) => status === 'approved')
    .map(({ id }) => id)
    .sort((a, b) => a - b)
}
