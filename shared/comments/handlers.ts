// Handlers of comments: reading them, commenting as a guest or a user, and moderation.
import { paged } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { changeStatus, createComment, deleteComment } from './commands.ts'
import { adminList, ownList, requiresApproval } from './comment.ts'
import { adminComments, comments, guestComments, ownComments } from './contract.ts'
import { adminViews, commentViews, listComments, listPublic, publicViews } from './store.ts'

export const commentHandlers = handlersOf(comments, {
  listComments: async ({ params, query, table, work }) => {
    const { items, total } = await listPublic(table, params.slug, query, work.nowSeconds)
    return paged({ items: await publicViews(table, items), total }, query)
  },
})

export const guestCommentHandlers = handlersOf(guestComments, {
  createGuestComment: ({ params, body: { author_name, author_email, ...written }, work, settings }) => {
    const guest = { name: author_name, email: author_email }
    const submission = { ...written, post: params.slug, user_id: null, guest }
    return createComment(work, submission, requiresApproval(settings))
  },
})

export const ownCommentHandlers = handlersOf(ownComments, {
  listOwnComments: async ({ actor, query, table }) => {
    const { items, total } = await listComments(table, ownList(actor.userId), query)
    return paged({ items: await commentViews(table, items), total }, query)
  },

  // If both are given, `post_id` wins.
  createOwnComment: ({ actor, body: { post_id, post_slug = '', ...written }, work, settings }) => {
    const submission = { ...written, post: post_id ?? post_slug, user_id: actor.userId, guest: null }
    return createComment(work, submission, requiresApproval(settings))
  },
})

export const adminCommentHandlers = handlersOf(adminComments, {
  listComments: async ({ query, table }) => {
    const { items, total } = await listComments(table, adminList(query.status), query)
    return paged({ items: await adminViews(table, items), total }, query)
  },

  approveComment: ({ params, work }) => changeStatus(work, params.id, 'approved'),

  rejectComment: ({ params, work }) => changeStatus(work, params.id, 'rejected'),

  deleteComment: ({ params, work }) => deleteComment(work, params.id),
})
