// Shows the hits of a search from the records of the posts, because the index lags behind them.
import type { Content } from '../../cache/content.ts'
import { type CategorySummary, findCategoryIdBySlug, listCachedCategories } from '../../categories/store.ts'
import { paged, type Reply, reply } from '../../http/reply.ts'
import { findHits } from '../../search/hits.ts'
import { matchesAllWords, queryWords, tokenize } from '../../search/tokenizer.ts'
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
  const nowSeconds = Math.floor(nowMs / 1000)
  const [{ ids, total }, categories] = await Promise.all([
    findHits(table, { words, types: 'all', nowSeconds, skip: 0, take: per_page }),
    listCachedCategories(table),
  ])
  const posts = await livePosts(table, ids, nowSeconds)
  const names = await namesFor(namesTable, posts)
  const found = reply({
    query: q,
    total: total - (ids.length - posts.length),
    posts: posts.map(post => listItem(post, names)),
    categories: words.length === 0 ? [] : matchingCategories(categories, words),
  })
  return { ...found, isVolatile: true }
}

/** A page of the posts that match a text. An unknown category has none. A search is read by page only. */
export async function showFoundPosts(
  source: Source,
  query: ListPostsQuery & { q: string },
): Promise<Reply<PostListItem[]>> {
  const { category, page = 1, per_page } = query
  const categoryId =
    category === undefined ? undefined : await findCategoryIdBySlug(source.namesTable, category)
  const found =
    category !== undefined && categoryId === undefined
      ? paged<PostListItem>({ items: [], total: 0 }, { page, per_page })
      : await pageOfHits(source, { ...query, page, categoryId })
  return { ...found, cursor: { next: null } }
}

type HitsQuery = ListPostsQuery & { q: string; page: number; categoryId: number | undefined }

async function pageOfHits(
  source: Source,
  { q, categoryId, page, per_page, include }: HitsQuery,
): Promise<Reply<PostListItem[]>> {
  const { table, nowMs } = source
  const nowSeconds = Math.floor(nowMs / 1000)
  const request = { words: queryWords(q), categoryId, types: 'posts' as const, nowSeconds }
  const { ids, total } = await findHits(table, { ...request, skip: (page - 1) * per_page, take: per_page })
  const stillMatches = ({ content_type, category_ids }: Post) =>
    content_type === 'post' && (categoryId === undefined || category_ids.includes(categoryId))
  const posts = (await livePosts(table, ids, nowSeconds)).filter(stillMatches)
  const items = await publicItems(source, posts, include)
  return {
    ...paged({ items, total: total - (ids.length - posts.length) }, { page, per_page }),
    isVolatile: true,
  }
}

/** In the order of `ids`, without posts that have left public view since they were indexed. */
async function livePosts(table: Table, ids: number[], nowSeconds: number): Promise<Post[]> {
  const byId = await findById(table, ids.map(postKey), Post)
  return ids.flatMap(id => byId.get(id) ?? []).filter(post => isLive(post, nowSeconds))
}

/** Kept as long as the category is cached, because tokenizing thousands of descriptions takes a second. */
const wordsByCategory = new WeakMap<CategorySummary, string[]>()

function wordsOfCategory(category: CategorySummary): string[] {
  const words = wordsByCategory.get(category) ?? tokenize(`${category.name} ${category.description}`)
  wordsByCategory.set(category, words)
  return words
}

function matchingCategories(categories: CategorySummary[], words: string[]) {
  return categories
    .filter(category => matchesAllWords(wordsOfCategory(category), words))
    .slice(0, MAX_CATEGORIES)
    .map(({ id, name, slug }) => ({ id, name, slug }))
}
