// Handlers of posts and pages: reading, searching, and writing them as an admin.
import { requireKey } from '../aws/secret-value.ts'
import { ApiError } from '../http/errors.ts'
import { noData } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { type Environment, required } from '../runtime/environment.ts'
import { keyIdOf } from '../table/sealed.ts'
import { deletePost, publishPost, unpublishPost, updatePost } from './commands/change.ts'
import { createPost } from './commands/create.ts'
import { createPreview, voidPreviews } from './commands/preview.ts'
import { adminPosts, posts } from './contract.ts'
import { PAGES } from './lists.ts'
import { openPreview, type Preview } from './preview.ts'
import { search } from './search-contract.ts'
import { showFoundPosts, showSearch } from './store/found-posts.ts'
import { showAdminPage, showPublicPage, showPublicPosts } from './store/post-lists.ts'
import { showAdminPost, showPreview, showPublicPost, showRelated } from './store/single-post.ts'

type PreviewCall = { previewToken: string | undefined; nowMs: number; environment: Environment }

/** A token that shows nothing may have been sealed with a newer key than the function has read. */
async function inPreview<Shown>(
  { previewToken, nowMs, environment }: PreviewCall,
  show: (preview: Preview | undefined) => Promise<Shown>,
): Promise<Shown> {
  const secret = required(environment, 'CLIENT_KEY')
  return await show(openPreview(previewToken, Math.floor(nowMs / 1000), secret)).catch(error => {
    if (previewToken !== undefined && error instanceof ApiError) {
      requireKey(secret, keyIdOf(previewToken), error)
    }
    throw error
  })
}

export const postHandlers = handlersOf(posts, {
  listPosts: ({ query, table, content, nowMs, cursorAt }) =>
    query.q === undefined
      ? showPublicPosts(content, query, cursorAt({ category: query.category, order: query.order }))
      : showFoundPosts(table, content.names, { ...query, q: query.q }, nowMs),

  getPost: call =>
    inPreview(call, preview => showPublicPost(call.content, call.params.slug, 'post', preview)),

  listRelated: ({ params, content }) => showRelated(content, params.slug),

  listPages: ({ query, content, cursorAt }) => showPublicPage(content, PAGES, query, cursorAt()),

  getPage: call =>
    inPreview(call, preview => showPublicPost(call.content, call.params.slug, 'page', preview)),

  getPreview: call => inPreview(call, preview => showPreview(call.table, preview, call.nowMs)),
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

  deletePost: ({ params, work, requireMatch }) => deletePost(work, { id: params.id, requireMatch }),

  publishPost: ({ params, work, requireMatch }) => publishPost(work, { id: params.id, requireMatch }),

  unpublishPost: ({ params, work, requireMatch }) => unpublishPost(work, { id: params.id, requireMatch }),

  createPreview: ({ params, body, work, settings, environment }) =>
    createPreview(work, params.id, {
      seconds: body.expires_in,
      template: settings['site.preview_url'],
      secret: required(environment, 'CLIENT_KEY'),
    }),

  deletePreviews: async ({ params, work }) => {
    await voidPreviews(work, params.id)
    return noData()
  },
})
