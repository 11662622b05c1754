// Finds as they are shown: looked up in the posts' own records, since the index comes after them.
import { type CategorySummary, listCachedCategories } from '../../categories/store/category-cache.ts'
import { paged, type Reply } from '../../http/reply.ts'
import type { PostListItem } from '../../posts/fields.ts'
import { isLive, Post } from '../../posts/post.ts'
import { withBodies } from '../../posts/store/bodies.ts'
import { namesFor } from '../../posts/store/names.ts'
import type { PageQuery } from '../../posts/store/posts.ts'
import { listItem, singlePost } from '../../posts/view.ts'
import type { Table } from '../../table/client.ts'
import { postKey } from '../../table/design.ts'
import { matchesAll, searchedWords } from '../query.ts'
import { wordsOf } from '../words.ts'
import { findPosts } from './find.ts'

const MOST_CATEGORIES = 20

export async function showSearch(
  table: Table,
  { q, per_page }: { q: string; per_page: number },
  nowMs: number,
) {
  const words = searchedWords(q)
  const [{ ids, total }, categories] = await Promise.all([
    findPosts(table, { words, kinds: 'all', skip: 0, take: per_page }),
    listCachedCategories(table),
  ])
  const posts = await livePosts(table, ids, nowMs)
  const names = await namesFor(table, posts, categories, nowMs)
  return {
    query: q,
    total: total - (ids.length - posts.length),
    posts: posts.map(post => listItem(post, names)),
    categories: words.length === 0 ? [] : matchingCategories(categories, words),
  }
}

type SearchPageQuery = PageQuery & {
  q: string
  categoryId?: number | undefined
  include?: 'body' | undefined
}

/** A page of posts alone, found by words. */
export async function showSearchPage(
  table: Table,
  { q, categoryId, page, per_page, include }: SearchPageQuery,
  nowMs: number,
): Promise<Reply<PostListItem[]>> {
  const asked = { words: searchedWords(q), categoryId, kinds: 'posts' as const }
  const [{ ids, total }, categories] = await Promise.all([
    findPosts(table, { ...asked, skip: (page - 1) * per_page, take: per_page }),
    listCachedCategories(table),
  ])
  const stillMatches = ({ content_type, category_ids }: Post) =>
    content_type === 'post' && (categoryId === undefined || category_ids.includes(categoryId))
  const posts = (await livePosts(table, ids, nowMs)).filter(stillMatches)
  const [names, whole] = await Promise.all([
    namesFor(table, posts, categories, nowMs),
    include && withBodies(table, posts, Math.floor(nowMs / 1000)),
  ])
  const shown = whole
    ? whole.map(({ post, body }) => singlePost(post, body, names))
    : posts.map(post => listItem(post, names))
  return paged(shown, total - (ids.length - posts.length), { page, per_page })
}

/** In the order of `ids`, without those that have left public view since. */
async function livePosts(table: Table, ids: number[], nowMs: number): Promise<Post[]> {
  const found = (await table.findMany(ids.map(postKey))).map(item => Post.parse(item))
  const byId = new Map(found.map(post => [post.id, post]))
  const nowSeconds = Math.floor(nowMs / 1000)
  return ids.flatMap(id => byId.get(id) ?? []).filter(post => isLive(post, nowSeconds))
}

/** As long as the category itself is kept in memory: thousands of descriptions take a second. */
const keptWords = new WeakMap<CategorySummary, string[]>()

function wordsOfCategory(category: CategorySummary): string[] {
  const words = keptWords.get(category) ?? wordsOf(`${category.name} ${category.description}`)
  keptWords.set(category, words)
  return words
}

function matchingCategories(categories: CategorySummary[], words: string[]) {
  return categories
    .filter(category => matchesAll(wordsOfCategory(category), words))
    .slice(0, MOST_CATEGORIES)
    .map(({ id, name, slug }) => ({ id, name, slug }))
}
