// Public reads of posts and pages.
import { serve } from '../shared/lambda/serve.ts'
import { posts } from '../shared/posts/contract.ts'
import { PAGES } from '../shared/posts/lists.ts'
import { showPublicPage } from '../shared/posts/store/public-page.ts'
import { showPublicPost, showRelated } from '../shared/posts/store/public-post.ts'
import { showFoundPosts, showPublicPosts } from '../shared/posts/store/public-posts.ts'

export const handler = serve(posts, {
  listPosts: ({ query, table, content, nowMs, cursorAt }) =>
    query.q === undefined
      ? showPublicPosts(content, query, cursorAt({ category: query.category, order: query.order }))
      : showFoundPosts(table, content.names, { ...query, q: query.q }, nowMs),

  getPost: ({ params, content }) => showPublicPost(content, params.slug, 'post'),

  listRelated: ({ params, content }) => showRelated(content, params.slug),

  listPages: ({ query, content, cursorAt }) => showPublicPage(content, PAGES, query, cursorAt()),

  getPage: ({ params, content }) => showPublicPost(content, params.slug, 'page'),
})
