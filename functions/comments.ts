// Public comments, and comments by guests and users.
import { createComment } from '../shared/comments/commands/create.ts'
import { guestSubmission, requiresApproval, userSubmission } from '../shared/comments/comment.ts'
import { comments } from '../shared/comments/contract.ts'
import { ownList } from '../shared/comments/lists.ts'
import { listComments, listPublic } from '../shared/comments/store/comments.ts'
import { commentViews, publicViews } from '../shared/comments/store/views.ts'
import { paged } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(comments, {
  listComments: async ({ params, query, table, work }) => {
    const { items, total } = await listPublic(table, params.slug, query, work.nowSeconds)
    return paged(await publicViews(table, items), total, query)
  },

  createGuestComment: ({ params, body, work, settings }) =>
    createComment(work, guestSubmission(params.slug, body), requiresApproval(settings)),

  listOwnComments: async ({ actor, query, table }) => {
    const { items, total } = await listComments(table, ownList(actor.userId), query)
    return paged(await commentViews(table, items), total, query)
  },

  createOwnComment: ({ actor, body, work, settings }) =>
    createComment(work, userSubmission(actor.userId, body), requiresApproval(settings)),
})
