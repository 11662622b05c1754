// Shows the hits of a search from the records of the posts, because the index lags behind them.
import type { Content } from '../../cache/content.ts'
import { type CategorySummary, findCategoryIdBySlug, listCachedCategories } from '../../categories/store.ts'
import { paged, type Reply, reply } from '../../http/reply.ts'
import { findHits, type SearchRequest } from '../../search/hits.ts'
import { queryWords, tokenize } from '../../search/tokenizer.ts'
import { findById, type Table } from '../../table/client.ts'
import { postKey } from '../../table/design.ts'
import type { PostListItem } from '../fields.ts'
import { isLive, Post } from '../post.ts'
import { listItem } from '../view.ts'
import { type ListPostsQuery, publicItems } from './post-lists.ts'
import { namesFor } from './posts.ts'

const MAX_CATEGORIES = 20

/** What a search reads: `table` as it is now. */
type Source = Pick<Content, 'table' | 'namesTable' | 'nowMs'>

export async function showSearch(
  { table, namesTable, nowMs }: Source,
  { q, per_page }: { q: string; per_page: number },
) {
  const words = queryWords(q)
  const [{ posts, total }, categories] = await Promise.all([
    findPosts(table, nowMs, { words, types: 'all', skip: 0, take: per_page }),
    listCachedCategories(table),
  ])
  const names = await namesFor(namesTable, posts)
  const found = reply({
    query: q,
    total,
    posts: posts.map(post => listItem(post, names)),
    categories: words.length === 0 ? [] : matchingCategories(categories, words),
  })
  return { ...found, isVolatile: true }
}

/** A page of the posts that match a text. An unknown category has none. A search is read by page only. */
export async function showFoundPosts(
  source: Source,
  { q, category, page = 1, per_page, include }: ListPostsQuery & { q: string },
): Promise<Reply<PostListItem[]>> {
  const isInAny = category === undefined
  const categoryId = isInAny ? undefined : await findCategoryIdBySlug(source.namesTable, category)
  const words = isInAny || categoryId !== undefined ? queryWords(q) : []
  const request = { words, categoryId, types: 'posts' as const, skip: (page - 1) * per_page, take: per_page }
  const { posts, total } = await findPosts(source.table, source.nowMs, request)
  const items = await publicItems(source, posts, include)
  const found = paged({ items, total }, { page, per_page })
  return { ...found, isVolatile: true, cursor: { next: null } }
}

/** A page of hits, without posts that have left public view or stopped to match since they were indexed. */
async function findPosts(table: Table, nowMs: number, request: Omit<SearchRequest, 'nowSeconds'>) {
  const nowSeconds = Math.floor(nowMs / 1000)
  const { categoryId, types } = request
  const { ids, total } = await findHits(table, { ...request, nowSeconds })
  const byId = await findById(table, ids.map(postKey), Post)
  const stillMatches = (post: Post) =>
    isLive(post, nowSeconds) &&
    (types === 'all' || post.content_type === 'post') &&
    (categoryId === undefined || post.category_ids.includes(categoryId))
  const posts = ids.flatMap(id => byId.get(id) ?? []).filter(stillMatches)
  return { posts, total: total - (ids.length - posts.length) }
}

/** Kept as long as the category is cached, because tokenizing thousands of descriptions takes a second. */
const wordsByCategory = new WeakMap<CategorySummary, string[]>()

function wordsOfCategory(category: CategorySummary): string[] {
  const words = wordsByCategory.get(category) ?? tokenize(`${category.name} ${category.description}`)
  wordsByCategory.set(category, words)
  return words
}

/** Each word is the beginning of a word of the category. */
function matchingCategories(categories: CategorySummary[], words: string[]) {
  const hasAll = (known: string[]) => words.every(word => known.some(one => one.startsWith(word)))
  return categories
    .filter(category => hasAll(wordsOfCategory(category)))
    .slice(0, MAX_CATEGORIES)
    .map(({ id, name, slug }) => ({ id, name, slug }))
}
