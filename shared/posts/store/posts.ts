// Reads posts without their bodies: by slug, in public lists, in lists for admins, and related ones.
import * as z from 'zod/mini'
import { findAuthors } from '../../accounts/store/users.ts'
import { findCategoryNames } from '../../categories/store.ts'
import {
  type List,
  type ListPage,
  listAfter,
  listPage,
  listTotal,
  type WalkPart,
} from '../../lists/counted-list.ts'
import { isSlug } from '../../slugs/slug.ts'
import type { Table } from '../../table/client.ts'
import { entryKey, listPartition, postKey, slugKey, timeOrder } from '../../table/design.ts'
import type { ContentType } from '../fields.ts'
import { categoryList, listEntriesOf, PAGES, scheduledOrders } from '../lists.ts'
import { isLive, isPublic, Post, PostEntry } from '../post.ts'
import type { Names } from '../view.ts'
import { listFewScheduled, listScheduled } from './scheduled.ts'

export type PageQuery = { page: number; per_page: number }

/** No record has this id. By reading it, an unknown slug costs the same as the slug of a hidden post. */
export const UNUSED_ID = 0

/** Contains both ids, so that the post and the profile of its author can be read in parallel. */
const SlugLock = z.object({ id: z.int(), author_id: z.int() })

export async function findSlugLock(table: Table, slug: string) {
  return isSlug(slug) ? await table.find(slugKey(slug), SlugLock) : undefined
}

/** Returns a public post without its body. `id` is undefined if the slug is unknown. */
export async function findPublicPost(
  table: Table,
  id: number | undefined,
  type: ContentType,
  nowSeconds: number,
): Promise<Post | undefined> {
  const post = await table.find(postKey(id ?? UNUSED_ID), Post)
  return post && isPublic(post, type, nowSeconds) ? post : undefined
}

/** Returns a page of a public list. Neither the page nor the total includes scheduled posts. */
export async function listPublic(
  table: Table,
  list: List,
  { page, per_page }: PageQuery,
  nowSeconds: number,
): Promise<ListPage<PostEntry>> {
  const query = { list, page, perPage: per_page }
  if (list.name !== PAGES.name) {
    const hidden = listFewScheduled(table, nowSeconds).then(rows => rows && scheduledOrders(list.name, rows))
    return await listPage(table, { ...query, below: lastAt(nowSeconds), hidden }, PostEntry)
  }
  // Pages sort by title, so the scheduled ones are among the others.
  const hidden = listScheduled(table, nowSeconds).then(rows => scheduledOrders(list.name, rows))
  if (page > 1) return await listPage(table, { ...query, hidden }, PostEntry)
  const [part, total] = await Promise.all([
    listPublicAfter(table, { list, after: undefined, count: per_page }, nowSeconds),
    listTotal(table, { list, hidden }),
  ])
  return { ...part, total }
}

type AfterQuery = { list: List; after: string | undefined; count: number }

/** Returns the public posts after a position: scheduled ones are left out. */
export function listPublicAfter(table: Table, query: AfterQuery, nowSeconds: number) {
  const below = query.list.name === PAGES.name ? undefined : lastAt(nowSeconds)
  return listAfter(table, { ...query, below }, PostEntry, post => isLive(post, nowSeconds))
}

function lastAt(nowSeconds: number): string {
  return timeOrder(nowSeconds, Number.MAX_SAFE_INTEGER)
}

/** The entries of lists for admins. */
const AdminEntry = z.object({ id: z.int() })
type AdminEntry = z.infer<typeof AdminEntry>

export async function listForAdmin(
  table: Table,
  list: List,
  { page, per_page }: PageQuery,
): Promise<ListPage<Post>> {
  const query = { list, page, perPage: per_page, hidden: Promise.resolve([]) }
  const { items, ...part } = await listPage(table, query, AdminEntry)
  return { ...part, items: await findListed(table, list, items) }
}

export async function listForAdminAfter(
  table: Table,
  list: List,
  after: string,
  count: number,
): Promise<WalkPart<Post>> {
  const { items, ...part } = await listAfter(table, { list, after, count }, AdminEntry)
  return { ...part, items: await findListed(table, list, items) }
}

/** In the order of the entries, without posts that have left the list since they were read. */
async function findListed(table: Table, list: List, refs: AdminEntry[]): Promise<Post[]> {
  const items = await table.findMany(refs.map(({ id }) => postKey(id)))
  const posts = items.map(item => Post.parse(item))
  const listed = posts.filter(post => listEntriesOf(post).some(entry => entry.list.name === list.name))
  const byId = new Map(listed.map(post => [post.id, post]))
  return refs.flatMap(({ id }) => byId.get(id) ?? [])
}

const MAX_RELATED = 5

const RelatedEntry = z.lazy(() => z.object({ sk: z.string(), item: PostEntry }))

/** Returns the newest other live posts that share a category with `post`. */
export async function listRelated(table: Table, post: Post, nowSeconds: number): Promise<PostEntry[]> {
  const lists = post.category_ids.map(id => categoryList(id).name)
  const newest = await Promise.all(
    lists.map(name =>
      table.query(
        {
          pk: listPartition(name),
          from: entryKey(name, '').sk,
          to: entryKey(name, lastAt(nowSeconds)).sk,
          descending: true,
          limit: MAX_RELATED + 1,
        },
        RelatedEntry,
      ),
    ),
  )
  const others = newest.flat().filter(({ item }) => item.id !== post.id)
  const unique = [...new Map(others.map(entry => [entry.item.id, entry])).values()]
  return unique
    .sort((a, b) => (a.sk < b.sk ? 1 : -1))
    .slice(0, MAX_RELATED)
    .map(({ item }) => item)
}

/** `table`: as it is read for names. One round trip. */
export async function namesFor(
  table: Table,
  posts: { author_id: number; category_ids: number[] }[],
): Promise<Names> {
  const [categories, authors] = await Promise.all([
    findCategoryNames(table, new Set(posts.flatMap(({ category_ids }) => category_ids))),
    findAuthors(table, new Set(posts.map(({ author_id }) => author_id))),
  ])
  return { categories, authors }
}
