// Public reads of posts and pages.
import { findAuthors } from '../shared/accounts/store/authors.ts'
import { findCategoryIdBySlug } from '../shared/categories/store/categories.ts'
import { knownCategories } from '../shared/categories/store/known.ts'
import { notFound } from '../shared/http/errors.ts'
import { paged, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { posts } from '../shared/posts/contract.ts'
import type { ContentType } from '../shared/posts/fields.ts'
import { categoryList, PAGES, POSTS } from '../shared/posts/lists.ts'
import { findPublicPostWithBody } from '../shared/posts/store/bodies.ts'
import { namesFor } from '../shared/posts/store/names.ts'
import { findPostBySlug, findPublicPost, listRelated, NOTHING } from '../shared/posts/store/posts.ts'
import { showPublicPage } from '../shared/posts/store/public-page.ts'
import { listItem, singlePost } from '../shared/posts/view.ts'
import { showFoundPage } from '../shared/search/store/results.ts'
import type { Table } from '../shared/table/client.ts'

async function showOne(table: Table, slug: string, type: ContentType, nowMs: number) {
  const [lock, categories] = await Promise.all([findPostBySlug(table, slug), knownCategories(table)])
  const [found] = await Promise.all([
    findPublicPostWithBody(table, lock?.id, type, Math.floor(nowMs / 1000)),
    findAuthors(table, [lock?.author_id ?? NOTHING], nowMs),
  ])
  if (!found) throw notFound('Post')
  const names = await namesFor(table, [found.post], categories, nowMs)
  return reply(singlePost(found.post, found.body, names))
}

export const handler = serve(posts, {
  listPosts: async ({ query, table, nowMs }) => {
    const id = query.category === undefined ? undefined : await findCategoryIdBySlug(table, query.category)
    if (query.category !== undefined && id === undefined) return paged([], 0, query)
    const { q } = query
    if (q !== undefined) return await showFoundPage(table, { ...query, q, categoryId: id }, nowMs)
    return await showPublicPage(table, id === undefined ? POSTS : categoryList(id), query, nowMs)
  },

  getPost: ({ params, table, nowMs }) => showOne(table, params.slug, 'post', nowMs),

  listRelated: async ({ params, table, nowMs }) => {
    const lock = await findPostBySlug(table, params.slug)
    const nowSeconds = Math.floor(nowMs / 1000)
    const [post, categories] = await Promise.all([
      findPublicPost(table, lock?.id, 'post', nowSeconds),
      knownCategories(table),
    ])
    if (!post) throw notFound('Post')
    const known = new Set(categories.map(({ id }) => id))
    const category_ids = post.category_ids.filter(id => known.has(id))
    const related = await listRelated(table, { ...post, category_ids }, nowSeconds)
    const names = await namesFor(table, related, categories, nowMs)
    return reply(related.map(post => listItem(post, names)))
  },

  listPages: ({ query, table, nowMs }) => showPublicPage(table, PAGES, query, nowMs),

  getPage: ({ params, table, nowMs }) => showOne(table, params.slug, 'page', nowMs),
})
