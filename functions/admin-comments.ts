// Admin reads and moderation of comments.
import { changeStatus, deleteComment } from '../shared/comments/commands/moderate.ts'
import { adminComments } from '../shared/comments/contract.ts'
import { adminList } from '../shared/comments/lists.ts'
import { listComments } from '../shared/comments/store/comments.ts'
import { adminViews } from '../shared/comments/store/views.ts'
import { noData, paged } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(adminComments, {
  listComments: async ({ query, table }) => {
    const { items, total } = await listComments(table, adminList(query.status), query)
    return paged(await adminViews(table, items), total, query)
  },

  approveComment: ({ params, work }) => changeStatus(work, params.id, 'approved'),

  rejectComment: ({ params, work }) => changeStatus(work, params.id, 'rejected'),

  deleteComment: async ({ params, work }) => {
    await deleteComment(work, params.id)
    return noData()
  },
})
