// Comments on a table of their own: posts to say them on, changes of them, and the tidying a step at a time.

import { cleanUpComments } from '../../shared/comments/commands/clean-up.ts'
import { createComment } from '../../shared/comments/commands/create.ts'
import { changeStatus, deleteComment } from '../../shared/comments/commands/moderate.ts'
import { CommentState, isShown, statesById } from '../../shared/comments/comment.ts'
import { adminList, ownList } from '../../shared/comments/lists.ts'
import { listComments, listPublic } from '../../shared/comments/store/comments.ts'
import type { TidyMessage } from '../../shared/events/message.ts'
import { startUnitOfWork } from '../../shared/events/unit-of-work.ts'
import { deletePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { openTable } from '../../shared/table/client.ts'
import { threadPartition } from '../../shared/table/design.ts'
import { newTable } from '../world/new-table.ts'

const NOW = 1_800_000_000
const PAGE = 100

export type Tidying = Extract<TidyMessage, { kind: 'comments' }>

/** `listSizes`: small ones put neighbours into different nodes of their lists. */
export async function openComments(listSizes?: { range: number; node: number }) {
  const { client, tableName, stop } = await newTable()
  const table = openTable(client, tableName, listSizes)
  /** What changes have asked for and nobody has done. */
  const ordered: Tidying[] = []
  const work = startUnitOfWork({
    table,
    sender: {
      send: async messages => {
        for (const { queue, body } of messages) {
          if (queue === 'tidy' && body.kind === 'comments') ordered.push(body)
        }
        return messages.map(() => ({ ok: true }))
      },
    },
    nowMs: NOW * 1000,
    requestId: 'test',
    siteUrl: async () => 'https://site.example',
    log: problem => {
      throw problem
    },
  })

  const post = async (title: string) =>
    (await createPost(work, { title, is_published: true, posted_at: NOW - 60 }, 1)).data

  const say = async (post: { id: number }, user_id: number | null, parent_id: number | null = null) => {
    const guest = user_id === null ? { name: 'G', email: 'g@example.com' } : null
    return (await createComment(work, { post: post.id, parent_id, user_id, guest, body: 'B' }, false)).data
  }

  const standingsOf = (post: { id: number }) => table.query({ pk: threadPartition(post.id) }, CommentState)

  /** The ids of a list, all its pages, which must be as many as each says there are. */
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
    ordered,
    post,
    say,
    read,
    standingsOf,
    approve: (id: number) => changeStatus(work, id, 'approved'),
    reject: (id: number) => changeStatus(work, id, 'rejected'),
    remove: (id: number) => deleteComment(work, id),
    removePost: (post: { id: number }) => deletePost(work, { id: post.id, requireMatch: () => undefined }),
    step: (message: Tidying) => cleanUpComments(table, message),
    stop,
  }
}

export type CommentWorld = Awaited<ReturnType<typeof openComments>>

/** What should be seen of these by the rules, oldest first. */
export function shownOf(standings: CommentState[]): number[] {
  const known = statesById(standings)
  return standings
    .filter(one => isShown(one, known))
    .map(({ id }) => id)
    .sort((a, b) => a - b)
}
