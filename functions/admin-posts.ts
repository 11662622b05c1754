// Admin reads and writes of posts and pages.

import { knownCategories } from '../shared/categories/store/known.ts'
import { notFound } from '../shared/http/errors.ts'
import { noData, paged, versioned } from '../shared/http/reply.ts'
import type { Call } from '../shared/lambda/handler.ts'
import { serve } from '../shared/lambda/serve.ts'
import { changePost, deletePost } from '../shared/posts/commands/change.ts'
import { createPost } from '../shared/posts/commands/create.ts'
import { adminPosts } from '../shared/posts/contract.ts'
import { adminList } from '../shared/posts/lists.ts'
import { changed, type PostEntry, published, unpublished } from '../shared/posts/post.ts'
import { findPost, findPostWithBody } from '../shared/posts/store/bodies.ts'
import { namesFor } from '../shared/posts/store/names.ts'
import { findPostBySlug, listForAdmin } from '../shared/posts/store/posts.ts'
import { adminListItem, adminPost } from '../shared/posts/view.ts'
import type { Table } from '../shared/table/client.ts'

type Listing = Call<typeof adminPosts.listPosts>

/** With a slug the list is that one post, if the other filters let it through. */
async function listBySlug(table: Table, query: Listing['query'], slug: string) {
  const lock = await findPostBySlug(table, slug)
  const post = lock && (await findPost(table, lock.id))?.post
  const isWanted =
    post &&
    (!query.drafts_only || !post.is_published) &&
    (query.content_type ?? post.content_type) === post.content_type
  const found: PostEntry[] = isWanted ? [post] : []
  return { items: query.page === 1 ? found : [], total: found.length }
}

async function listPosts({ query, table, nowMs }: Listing) {
  const [{ items, total }, categories] = await Promise.all([
    query.slug === undefined
      ? listForAdmin(table, adminList(query.drafts_only, query.content_type), query)
      : listBySlug(table, query, query.slug),
    knownCategories(table),
  ])
  const names = await namesFor(table, items, categories, nowMs)
  return paged(
    items.map(post => adminListItem(post, names, Math.floor(nowMs / 1000))),
    total,
    query,
  )
}

export const handler = serve(adminPosts, {
  listPosts,

  createPost: ({ body, actor, work }) => createPost(work, body, actor.userId),

  getPost: async ({ params, table, nowMs }) => {
    const [found, categories] = await Promise.all([
      findPostWithBody(table, params.id),
      knownCategories(table),
    ])
    if (!found) throw notFound('Post')
    const names = await namesFor(table, [found.post], categories, nowMs)
    return versioned(adminPost(found.post, found.body, names, Math.floor(nowMs / 1000)), found.post.version)
  },

  changePost: ({ params, body: change, work, requireMatch }) =>
    changePost(work, {
      id: params.id,
      requireMatch,
      change,
      rule: (post, body, nowSeconds) => changed(post, change, body, nowSeconds),
    }),

  deletePost: async ({ params, work, requireMatch }) => {
    await deletePost(work, params.id, requireMatch)
    return noData()
  },

  publishPost: ({ params, work, requireMatch }) =>
    changePost(work, {
      id: params.id,
      requireMatch,
      rule: (post, _body, nowSeconds) => published(post, nowSeconds),
    }),

  unpublishPost: ({ params, work, requireMatch }) =>
    changePost(work, {
      id: params.id,
      requireMatch,
      rule: (post, _body, nowSeconds) => unpublished(post, nowSeconds),
    }),
})
