// How posts are read: each function is one access pattern of the chart in table/design.ts.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import { type List, listPage } from '../../lists/counted-list.ts'
import { isSlug } from '../../slugs/slug.ts'
import type { Table } from '../../table/client.ts'
import { bodyKey, entryKey, listPartition, postKey, slugKey, timeOrder } from '../../table/design.ts'
import { unpackText } from '../../table/large-text.ts'
import { BodyItem } from '../commands/body.ts'
import type { ContentType } from '../fields.ts'
import { categoryList, PAGES } from '../lists.ts'
import { isLive, Post, PostEntry } from '../post.ts'
import { hiddenIn, type ScheduledRow } from './scheduled.ts'

export type PageQuery = { page: number; per_page: number }

/** The id under which nothing is kept: a slug that is unknown costs the same reads as one that is hidden. */
export const NOTHING = 0

/** Names the post and its author, so that both profile and post are read next, side by side. */
const SlugLock = z.object({ id: z.int(), author_id: z.int() })

export async function findPostBySlug(table: Table, slug: string) {
  return isSlug(slug) ? await table.find(slugKey(slug), SlugLock) : undefined
}

/** Writes come in between two items of one post: then both are read again, at most this often. */
const ATTEMPTS = 4

export type Stored = { post: Post; bodyItem: BodyItem }

/** The post and its body item, of the same version. */
export async function findPost(table: Table, id: number): Promise<Stored | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const items = await table.findMany([postKey(id), bodyKey(id)])
    const post = items.find(({ sk }) => sk === postKey(id).sk)
    const body = items.find(({ sk }) => sk === bodyKey(id).sk)
    if (!post) return undefined
    const stored = body && { post: Post.parse(post), bodyItem: BodyItem.parse(body) }
    if (stored?.bodyItem.version === stored?.post.body_version) return stored
  }
  throw new Error(`Post ${id} and its body do not agree.`)
}

export async function getPost(table: Table, id: number): Promise<Stored> {
  const stored = await findPost(table, id)
  if (!stored) throw notFound('Post')
  return stored
}

/** A post in public view, without its body; `id` undefined where the slug is unknown. */
export async function findPublicPost(
  table: Table,
  id: number | undefined,
  type: ContentType,
  nowSeconds: number,
): Promise<Post | undefined> {
  const post = await table.find(postKey(id ?? NOTHING), Post)
  return post && isPublic(post, type, nowSeconds) ? post : undefined
}

/** The same with the text of its body, which is read only once the post is known to be public. */
export async function findPublicPostWithBody(
  table: Table,
  id: number | undefined,
  type: ContentType,
  nowSeconds: number,
): Promise<{ post: Post; body: string } | undefined> {
  const stored = await findPost(table, id ?? NOTHING)
  if (!stored || !isPublic(stored.post, type, nowSeconds)) return undefined
  const body = await unpackText(table, stored.bodyItem)
  if (body !== undefined) return { post: stored.post, body }
  const found = await findPostWithBody(table, stored.post.id)
  return found && isPublic(found.post, type, nowSeconds) ? found : undefined
}

/** A post with the text of its body; a body that is replaced in between is read again with its post. */
export async function findPostWithBody(
  table: Table,
  id: number,
): Promise<{ post: Post; body: string } | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await findPost(table, id)
    if (!stored) return undefined
    const body = await unpackText(table, stored.bodyItem)
    if (body !== undefined) return { post: stored.post, body }
  }
  throw new Error(`The body of post ${id} is not whole.`)
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
      hidden: waiting.then(rows => hiddenIn(list.name, rows)),
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

type Whole = { post: PostEntry; body: string }

/** More than any answer may have: the bodies behind are not read, since it is refused anyway. */
const MOST_BYTES = 6_000_000
const AT_ONCE = 10

/** The posts of a page with their bodies. One that has changed in between is shown as it is now. */
export async function withBodies(table: Table, entries: PostEntry[], nowSeconds: number): Promise<Whole[]> {
  const items = await table.findMany(entries.map(({ id }) => bodyKey(id)))
  const byId = new Map(items.map(item => BodyItem.parse(item)).map(item => [item.id, item]))
  const shown: Whole[] = []
  let bytes = 0
  for (let n = 0; n < entries.length && bytes < MOST_BYTES; n += AT_ONCE) {
    const next = entries.slice(n, n + AT_ONCE).map(post => withBody(table, post, byId.get(post.id)))
    const live = (await Promise.all(next)).flatMap(found =>
      found && isLive(found.post, nowSeconds) ? found : [],
    )
    for (const whole of live) {
      bytes += Buffer.byteLength(whole.body)
      shown.push(whole)
    }
  }
  return shown
}

async function withBody(table: Table, post: PostEntry, item: BodyItem | undefined) {
  const body = item?.version === post.body_version ? await unpackText(table, item) : undefined
  return body === undefined ? await findPostWithBody(table, post.id) : { post, body }
}

/** Live, and of the kind that this path serves; anything else is not there for the public. */
export function isPublic(post: Post, type: ContentType, nowSeconds: number): boolean {
  return post.content_type === type && isLive(post, nowSeconds)
}
