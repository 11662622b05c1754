// How posts are read: each function is one access pattern of the chart in table/design.ts.
import * as z from 'zod/mini'
import { type List, listPage } from '../../lists/counted-list.ts'
import { isSlug } from '../../slugs/slug.ts'
import type { Table } from '../../table/client.ts'
import { entryKey, listPartition, postKey, slugKey, timeOrder } from '../../table/design.ts'
import type { ContentType } from '../fields.ts'
import { categoryList, hiddenOrders, PAGES } from '../lists.ts'
import { isPublic, Post, PostEntry } from '../post.ts'
import type { ScheduledRow } from './scheduled.ts'
export type PageQuery = { page: number; per_page: number }

/** The id under which nothing is kept: a slug that is unknown costs the same reads as one that is hidden. */
export const UNUSED_ID = 0

/** Names the post and its author, so that both profile and post are read next, side by side. */
const SlugLock = z.object({ id: z.int(), author_id: z.int() })

export async function findPostBySlug(table: Table, slug: string) {
  return isSlug(slug) ? await table.find(slugKey(slug), SlugLock) : undefined
}

/** A post in public view, without its body; `id` undefined where the slug is unknown. */
export async function findPublicPost(
  table: Table,
  id: number | undefined,
  type: ContentType,
  nowSeconds: number,
): Promise<Post | undefined> {
  const post = await table.find(postKey(id ?? UNUSED_ID), Post)
  return post && isPublic(post, type, nowSeconds) ? post : undefined
}

/** A public list: what waits for its time is left out of page and total. */
export function listPublic(
  table: Table,
  list: List,
  { page, per_page }: PageQuery,
  waiting: Promise<ScheduledRow[]>,
  nowSeconds: number,
) {
  return listPage(
    table,
    {
      list,
      page,
      perPage: per_page,
      ...(list.name !== PAGES.name && { below: lastAt(nowSeconds) }),
      hidden: waiting.then(rows => hiddenOrders(list.name, rows)),
    },
    PostEntry,
  )
}

function lastAt(nowSeconds: number): string {
  return timeOrder(nowSeconds, Number.MAX_SAFE_INTEGER)
}

const nothingHidden = Promise.resolve<string[]>([])

export function listForAdmin(table: Table, list: List, { page, per_page }: PageQuery) {
  return listPage(table, { list, page, perPage: per_page, hidden: nothingHidden }, PostEntry)
}

const MOST_RELATED = 5

/** The newest live posts that share a category with this one, never itself. */
export async function listRelated(table: Table, post: Post, nowSeconds: number): Promise<PostEntry[]> {
  const Entry = z.object({ sk: z.string(), item: PostEntry })
  const lists = post.category_ids.map(id => categoryList(id).name)
  const newest = await Promise.all(
    lists.map(name =>
      table.query(
        {
          pk: listPartition(name),
          from: entryKey(name, '').sk,
          to: entryKey(name, lastAt(nowSeconds)).sk,
          descending: true,
          limit: MOST_RELATED + 1,
        },
        Entry,
      ),
    ),
  )
  const others = newest.flat().filter(({ item }) => item.id !== post.id)
  const once = [...new Map(others.map(entry => [entry.item.id, entry])).values()]
  return once
    .sort((a, b) => (a.sk < b.sk ? 1 : -1))
    .slice(0, MOST_RELATED)
    .map(({ item }) => item)
}
