// Handlers of posts and pages: reading, searching, and writing them as an admin.
import { noData } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { type Environment, required } from '../runtime/environment.ts'
import { deletePost, publishPost, unpublishPost, updatePost } from './commands/change.ts'
import { createPost } from './commands/create.ts'
import { createPreview, voidPreviews } from './commands/preview.ts'
import { adminPosts, posts } from './contract.ts'
import { PAGES } from './lists.ts'
import { openPreview, type Preview } from './preview.ts'
import { search } from './search-contract.ts'
import { showFoundPosts, showSearch } from './store/found-posts.ts'
import { showAdminList, showPublicList, showPublicPosts } from './store/post-lists.ts'
import { showAdminPost, showPreview, showPublicPost, showRelated } from './store/single-post.ts'

type PreviewCall = { previewToken: string | undefined; nowMs: number; environment: Environment }

function previewIn({ previewToken, nowMs, environment }: PreviewCall): Preview | undefined {
  return openPreview(previewToken, Math.floor(nowMs / 1000), required(environment, 'CLIENT_KEY'))
}

export const postHandlers = handlersOf(posts, {
  listPosts: ({ query, table, content, nowMs, cursorAt }) =>
    query.q === undefined
      ? showPublicPosts(content, query, cursorAt({ category: query.category, order: query.order }))
      : showFoundPosts({ ...content, table, nowMs }, { ...query, q: query.q }),

  getPost: call => showPublicPost(call.content, call.params.slug, 'post', previewIn(call)),

  listRelated: ({ params, content }) => showRelated(content, params.slug),

  listPages: ({ query, content, cursorAt }) => showPublicList(content, PAGES, query, cursorAt()),

  getPage: call => showPublicPost(call.content, call.params.slug, 'page', previewIn(call)),

  getPreview: call => showPreview(call.table, previewIn(call), call.nowMs),
})

export const searchHandlers = handlersOf(search, {
  search: ({ query, table, content, nowMs }) => showSearch({ ...content, table, nowMs }, query),
})

export const adminPostHandlers = handlersOf(adminPosts, {
  listPosts: ({ query, table, content, nowMs, cursorAt }) => {
    const { drafts_only, content_type, slug } = query
    return showAdminList(
      table,
      content.namesTable,
      query,
      cursorAt({ drafts_only, content_type, slug }),
      nowMs,
    )
  },

  createPost: ({ body, actor, work }) => createPost(work, body, actor.userId),

  getPost: ({ params, table, content, nowMs }) => showAdminPost(table, content.namesTable, params.id, nowMs),

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
