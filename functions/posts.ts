// Public reads of posts and pages.
import { serve } from '../shared/lambda/serve.ts'
import { posts } from '../shared/posts/contract.ts'
import { PAGES } from '../shared/posts/lists.ts'
import { showPublicPage } from '../shared/posts/store/public-page.ts'
import { showPublicPost, showRelated } from '../shared/posts/store/public-post.ts'
import { showPublicPosts } from '../shared/posts/store/public-posts.ts'

export const handler = serve(posts, {
  listPosts: ({ query, table, nowMs }) => showPublicPosts(table, query, nowMs),

  getPost: ({ params, table, nowMs }) => showPublicPost(table, params.slug, 'post', nowMs),

  listRelated: ({ params, table, nowMs }) => showRelated(table, params.slug, nowMs),

  listPages: ({ query, table, nowMs }) => showPublicPage(table, PAGES, query, nowMs),

  getPage: ({ params, table, nowMs }) => showPublicPost(table, params.slug, 'page', nowMs),
})
