// The reads that the benchmark measures.
import { newToken } from '../../shared/accounts/commands/tokens.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { adminComments, comments } from '../../shared/comments/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { search } from '../../shared/posts/search-contract.ts'
import type { CallOptions } from '../support/call.ts'
import type { CountedService } from './counted-service.ts'
import { COMMENTED_POST } from './load.ts'
import { PLANTED, type Site, upToLongest } from './site.ts'

/** `part`: the worst page after the first, or what follows such a page, read from its cursor on. */
export type Row = { name: string; endpoint: Endpoint; ask: CallOptions; part?: 'pages' | 'walk' }

function row(name: string, endpoint: Endpoint, ask: CallOptions = {}): Row {
  return { name, endpoint, ask }
}

/** The first page, and any other one. */
function both(...of: Parameters<typeof row>): Row[] {
  const first = row(...of)
  return [first, { ...first, name: `${first.name}, any other page`, part: 'pages' }]
}

/** The rows of a list that is also read by cursor. */
function withWalk(...of: Parameters<typeof row>): Row[] {
  const first = row(...of)
  return [...both(...of), { ...first, name: `${first.name}, after a cursor`, part: 'walk' }]
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

/** Creates an admin's token, and names a post, a page and a category of the site that have content. */
export async function createTargets({ table, nowSeconds }: CountedService, site: Site): Promise<Targets> {
  const about = { user_id: 1, name: 'bench', abilities: ['admin' as const] }
  const { action, text: token } = await newToken(table, about, nowSeconds)
  await table.transact([action])
  const { input, words } = site.post(COMMENTED_POST)
  const page = site.post(100).input.slug
  return { id: COMMENTED_POST, slug: input.slug, page, category: 'category-1', token, words }
}

function searchRow(what: string, q: string): Row {
  return row(`GET /search, ${what}`, search.search, { query: { q } })
}

/** The last two search for the words of a post, as after pasting a paragraph of it. */
function searchRows(words: string[]): Row[] {
  return [
    searchRow('a rare word', PLANTED.rare[0]),
    searchRow('two words', PLANTED.pair.join(' ')),
    searchRow('two characters', PLANTED.prefix),
    searchRow('a word in half of all posts', PLANTED.half),
    searchRow('that word and two characters', `${PLANTED.half} ${PLANTED.prefix}`),
    searchRow('ten words', [...new Set(words)].slice(0, 10).join(' ')),
    searchRow('200 characters', upToLongest(new Set(words))),
  ]
}

function listRows({ category }: Targets): Row[] {
  const { listPosts, listPages } = posts
  const list = (name: string, query = {}) => [`GET ${name}`, listPosts, { query }] as const
  return [
    ...withWalk(...list('/posts')),
    row(...list('/posts?order=oldest', { order: 'oldest' })),
    row(...list('/posts?order=oldest&page=2', { order: 'oldest', page: 2 })),
    ...withWalk(...list('/posts?category=', { category })),
    ...both(...list('/posts?per_page=100', { per_page: 100 })),
    ...withWalk(...list('/posts?per_page=100&include=body', { per_page: 100, include: 'body' })),
    ...both(...list('/posts?q=&category=, a word in half of all posts', { q: PLANTED.half, category })),
    ...withWalk('GET /pages?per_page=5', listPages, { query: { per_page: 5 } }),
  ]
}

function postRows({ slug, page }: Targets): Row[] {
  const ask = { params: { slug } }
  return [
    row('GET /posts/{slug}', posts.getPost, ask),
    row('GET /posts/{slug}/related', posts.listRelated, ask),
    ...both('GET /posts/{slug}/comments', comments.listComments, ask),
    row('GET /pages/{slug}', posts.getPage, { params: { slug: page } }),
  ]
}

function categoryRows({ category }: Targets): Row[] {
  const { listCategories, listPostsOfCategory } = categories
  const ask = { params: { slug: category } }
  return [
    row('GET /categories', listCategories),
    ...withWalk('GET /categories/{slug}/posts', listPostsOfCategory, ask),
  ]
}

function adminRows({ id, token }: Targets): Row[] {
  const { listPosts, getPost } = adminPosts
  const drafts = { token, query: { drafts_only: true, per_page: 5 } }
  return [
    ...withWalk('GET /admin/posts', listPosts, { token }),
    ...both('GET /admin/posts?drafts_only=true&per_page=5', listPosts, drafts),
    row('GET /admin/posts/{id}', getPost, { token, params: { id } }),
    row('GET /admin/categories', adminCategories.listCategories, { token }),
    ...both('GET /admin/comments', adminComments.listComments, { token }),
  ]
}

export function rowsFor(targets: Targets): Row[] {
  return [
    ...listRows(targets),
    ...searchRows(targets.words),
    ...postRows(targets),
    ...categoryRows(targets),
    ...adminRows(targets),
  ]
}
