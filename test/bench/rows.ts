// The reads that the benchmark measures.
import { handler as adminCategoriesHandler } from '../../functions/admin-categories.ts'
import { handler as adminCommentsHandler } from '../../functions/admin-comments.ts'
import { handler as adminPostsHandler } from '../../functions/admin-posts.ts'
import { handler as categoriesHandler } from '../../functions/categories.ts'
import { handler as commentsHandler } from '../../functions/comments.ts'
import { handler as postsHandler } from '../../functions/posts.ts'
import { handler as searchHandler } from '../../functions/search.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminComments, comments } from '../../shared/comments/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/search/contract.ts'
import type { CallOptions } from '../world/call.ts'
import { callOf } from '../world/chain.ts'
import { PLANTED, upToLongest } from './site.ts'

export type Call = ReturnType<typeof callOf>

/**
 * `isDeep`: the worst page after the first. `isWalked`: the part after such a page, read from its cursor on.
 * `isConditional`: repeated with the ETag of the response.
 */
export type Row = {
  name: string
  call: Call
  endpoint: Endpoint
  ask: CallOptions
  isDeep?: boolean
  isWalked?: boolean
  isConditional?: boolean
}

export const call = {
  posts: callOf(postsHandler),
  search: callOf(searchHandler),
  categories: callOf(categoriesHandler),
  comments: callOf(commentsHandler),
  adminPosts: callOf(adminPostsHandler),
  adminCategories: callOf(adminCategoriesHandler),
  adminComments: callOf(adminCommentsHandler),
}

function both(row: Row): Row[] {
  return [row, { ...row, name: `${row.name}, any other page`, isDeep: true }]
}

/** Of lists that are also read by cursor. */
function withWalk(row: Row): Row[] {
  return [...both(row), { ...row, name: `${row.name}, after a cursor`, isWalked: true }]
}

/** The slugs of a post and a page in public view and of the largest category, and the id of a post. */
export type Targets = {
  slug: string
  page: string
  category: string
  id: number
  token: string
  /** The words of a post, in their order. */
  words: string[]
}

function searchRow(what: string, q: string): Row {
  return {
    name: `GET /search, ${what}`,
    call: call.search,
    endpoint: search.search,
    ask: { query: { q } },
  }
}

const SEARCHES: Row[] = [
  searchRow('a rare word', PLANTED.rare[0]),
  searchRow('two words', PLANTED.pair.join(' ')),
  searchRow('two characters', PLANTED.prefix),
  searchRow('a word in half of all posts', PLANTED.half),
  searchRow('that word and two characters', `${PLANTED.half} ${PLANTED.prefix}`),
]

/** Searches for the words of a post, as after pasting a paragraph of it. */
function longSearches(words: string[]): Row[] {
  return [
    searchRow('ten words', [...new Set(words)].slice(0, 10).join(' ')),
    searchRow('200 characters', upToLongest(new Set(words))),
  ]
}

export function rowsFor({ slug, page, category, id, token, words }: Targets): Row[] {
  return [
    ...withWalk({ name: 'GET /posts', call: call.posts, endpoint: posts.listPosts, ask: {} }),
    {
      name: 'GET /posts?order=oldest',
      call: call.posts,
      endpoint: posts.listPosts,
      ask: { query: { order: 'oldest' } },
    },
    {
      name: 'GET /posts?order=oldest&page=2',
      call: call.posts,
      endpoint: posts.listPosts,
      ask: { query: { order: 'oldest', page: 2 } },
    },
    ...withWalk({
      name: 'GET /posts?category=',
      call: call.posts,
      endpoint: posts.listPosts,
      ask: { query: { category } },
    }),
    ...both({
      name: 'GET /posts?per_page=100',
      call: call.posts,
      endpoint: posts.listPosts,
      ask: { query: { per_page: 100 } },
    }),
    ...withWalk({
      name: 'GET /posts?per_page=100&include=body',
      call: call.posts,
      endpoint: posts.listPosts,
      ask: { query: { per_page: 100, include: 'body' } },
    }),
    ...both({
      name: 'GET /posts?q=&category=, a word in half of all posts',
      call: call.posts,
      endpoint: posts.listPosts,
      ask: { query: { q: PLANTED.half, category } },
    }),
    ...SEARCHES,
    ...longSearches(words),
    { name: 'GET /posts/{slug}', call: call.posts, endpoint: posts.getPost, ask: { params: { slug } } },
    {
      name: 'GET /posts/{slug}, 304',
      call: call.posts,
      endpoint: posts.getPost,
      ask: { params: { slug } },
      isConditional: true,
    },
    {
      name: 'GET /posts/{slug}/related',
      call: call.posts,
      endpoint: posts.listRelated,
      ask: { params: { slug } },
    },
    ...both({
      name: 'GET /posts/{slug}/comments',
      call: call.comments,
      endpoint: comments.listComments,
      ask: { params: { slug } },
    }),
    ...withWalk({
      name: 'GET /pages?per_page=5',
      call: call.posts,
      endpoint: posts.listPages,
      ask: { query: { per_page: 5 } },
    }),
    { name: 'GET /pages/{slug}', call: call.posts, endpoint: posts.getPage, ask: { params: { slug: page } } },
    { name: 'GET /categories', call: call.categories, endpoint: categories.listCategories, ask: {} },
    ...withWalk({
      name: 'GET /categories/{slug}/posts',
      call: call.categories,
      endpoint: categories.listPostsOfCategory,
      ask: { params: { slug: category } },
    }),
    ...withWalk({
      name: 'GET /admin/posts',
      call: call.adminPosts,
      endpoint: adminPosts.listPosts,
      ask: { token },
    }),
    ...both({
      name: 'GET /admin/posts?drafts_only=true&per_page=5',
      call: call.adminPosts,
      endpoint: adminPosts.listPosts,
      ask: { token, query: { drafts_only: true, per_page: 5 } },
    }),
    {
      name: 'GET /admin/posts/{id}',
      call: call.adminPosts,
      endpoint: adminPosts.getPost,
      ask: { token, params: { id } },
    },
    {
      name: 'GET /admin/categories',
      call: call.adminCategories,
      endpoint: adminCategories.listCategories,
      ask: { token },
    },
    ...both({
      name: 'GET /admin/comments',
      call: call.adminComments,
      endpoint: adminComments.listComments,
      ask: { token },
    }),
  ]
}
