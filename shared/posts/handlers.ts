// Handlers of posts and pages: reading, searching, and writing them as an admin.
import { noData } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { deletePost, publishPost, unpublishPost, updatePost } from './commands/change.ts'
import { createPost } from './commands/create.ts'
import { adminPosts, posts, search } from './contract.ts'
import { PAGES } from './lists.ts'
import { showFoundPosts, showSearch } from './store/found-posts.ts'
import { showAdminPage, showPublicPage, showPublicPosts } from './store/post-lists.ts'
import { showAdminPost, showPublicPost, showRelated } from './store/single-post.ts'

export const postHandlers = handlersOf(posts, {
  listPosts: ({ query, table, content, nowMs, cursorAt }) =>
    query.q === undefined
      ? showPublicPosts(content, query, cursorAt({ category: query.category, order: query.order }))
      : showFoundPosts(table, content.names, { ...query, q: query.q }, nowMs),

  getPost: ({ params, content }) => showPublicPost(content, params.slug, 'post'),

  listRelated: ({ params, content }) => showRelated(content, params.slug),

  listPages: ({ query, content, cursorAt }) => showPublicPage(content, PAGES, query, cursorAt()),

  getPage: ({ params, content }) => showPublicPost(content, params.slug, 'page'),
})

export const searchHandlers = handlersOf(search, {
  search: ({ query, table, content, nowMs }) => showSearch(table, content.names, query, nowMs),
})

export const adminPostHandlers = handlersOf(adminPosts, {
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
