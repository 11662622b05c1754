// Public comments, and comments by guests and users.

import { createComment } from '../shared/comments/commands/create.ts'
import { comments } from '../shared/comments/contract.ts'
import { ownList } from '../shared/comments/lists.ts'
import { listComments, listPublic } from '../shared/comments/store/comments.ts'
import { showComments, showPublic } from '../shared/comments/store/show.ts'
import { paged } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(comments, {
  listComments: async ({ params, query, table, work, nowMs }) => {
    const { items, total } = await listPublic(table, params.slug, query, work.nowSeconds)
    return paged(await showPublic(table, items, nowMs), total, query)
  },

  createGuestComment: ({ params, body, work, settings }) => {
    const { author_name: name, author_email: email, ...written } = body
    const submission = { ...written, post: params.slug, user_id: null, guest: { name, email } }
    return createComment(work, submission, settings['comments.require_approval'] !== false)
  },

  listOwnComments: async ({ actor, query, table, nowMs }) => {
    const { items, total } = await listComments(table, ownList(actor.userId), query)
    return paged(await showComments(table, items, nowMs), total, query)
  },

  createOwnComment: ({ actor, body, work, settings }) => {
    const { post_id, post_slug = '', ...written } = body
    const submission = { ...written, post: post_id ?? post_slug, user_id: actor.userId, guest: null }
    return createComment(work, submission, settings['comments.require_approval'] !== false)
  },
})
