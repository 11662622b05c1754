// Admin reads and writes of posts and pages.
import { noData } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { deletePost, publishPost, unpublishPost, updatePost } from '../shared/posts/commands/change.ts'
import { createPost } from '../shared/posts/commands/create.ts'
import { adminPosts } from '../shared/posts/contract.ts'
import { showAdminPage, showAdminPost } from '../shared/posts/store/admin-posts.ts'

export const handler = serve(adminPosts, {
  listPosts: ({ query, table, content, nowMs, cursorAt }) => {
    const { drafts_only, content_type, slug } = query
    return showAdminPage(table, content.names, query, cursorAt({ drafts_only, content_type, slug }), nowMs)
  },

  createPost: ({ body, actor, work }) => createPost(work, body, actor.userId),

  getPost: ({ params, table, content, nowMs }) => showAdminPost(table, content.names, params.id, nowMs),

  changePost: ({ params, body, work, requireMatch }) =>
    updatePost(work, { id: params.id, requireMatch }, body),

  deletePost: async ({ params, work, requireMatch }) => {
    await deletePost(work, { id: params.id, requireMatch })
    return noData()
  },

  publishPost: ({ params, work, requireMatch }) => publishPost(work, { id: params.id, requireMatch }),

  unpublishPost: ({ params, work, requireMatch }) => unpublishPost(work, { id: params.id, requireMatch }),
})
