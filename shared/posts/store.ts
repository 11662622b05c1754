// How posts are read: each function is one access pattern of the chart in table/design.ts.
import * as z from 'zod/mini'
import { notFound } from '../http/errors.ts'
import type { Table } from '../table/client.ts'
import { type List, listPage } from '../table/counted-list.ts'
import { bodyKey, entryKey, listPartition, postKey, slugKey, timeOrder } from '../table/design.ts'
import { unpackText } from '../table/large-text.ts'
import { BodyItem } from './body.ts'
import type { ContentType } from './fields.ts'
import { categoryList, PAGES } from './places.ts'
import { isLive, Post, PostEntry } from './post.ts'
import { hiddenIn, type ScheduledRow } from './scheduled.ts'
import { isSlug } from './slug.ts'

export type PageAsked = { page: number; per_page: number }

/** The id under which nothing is kept: a slug that is unknown costs the same reads as one that is hidden. */
export const NOTHING = 0

/** Names the post and its author, so that both profile and post are read next, side by side. */
const SlugLock = z.object({ id: z.int(), author_id: z.int() })

export const findPostBySlug = async (table: Table, slug: string) =>
  isSlug(slug) ? await table.find(slugKey(slug), SlugLock) : undefined

/** Writes come in between two items of one post: then both are read again, at most this often. */
const ATTEMPTS = 4

export type Stored = { post: Post; bodyItem: BodyItem }

/** The post and its body item, of the same version. */
export const findPost = async (table: Table, id: number): Promise<Stored | undefined> => {
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

export const getPost = async (table: Table, id: number): Promise<Stored> => {
  const stored = await findPost(table, id)
  if (!stored) throw notFound('Post')
  return stored
}

/** A post in public view, without its body; `id` undefined where the slug is unknown. */
export const findPublicPost = async (
  table: Table,
  id: number | undefined,
  type: ContentType,
  now: number,
): Promise<Post | undefined> => {
  const post = await table.find(postKey(id ?? NOTHING), Post)
  return post && isPublic(post, type, now) ? post : undefined
}

/** The same with the text of its body, which is read only once the post is known to be public. */
export const findPublicPostWithBody = async (
  table: Table,
  id: number | undefined,
  type: ContentType,
  now: number,
): Promise<{ post: Post; body: string } | undefined> => {
  const stored = await findPost(table, id ?? NOTHING)
  if (!stored || !isPublic(stored.post, type, now)) return undefined
  const body = await unpackText(table, stored.bodyItem)
  if (body !== undefined) return { post: stored.post, body }
  const found = await findPostWithBody(table, stored.post.id)
  return found && isPublic(found.post, type, now) ? found : undefined
}

/** A post with the text of its body; a body that is replaced in between is read again with its post. */
export const findPostWithBody = async (
  table: Table,
  id: number,
): Promise<{ post: Post; body: string } | undefined> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await findPost(table, id)
    if (!stored) return undefined
    const body = await unpackText(table, stored.bodyItem)
    if (body !== undefined) return { post: stored.post, body }
  }
  throw new Error(`The body of post ${id} is not whole.`)
}

/** A public list: what waits for its time is left out of page and total. */
export const listPublic = (
  table: Table,
  list: List,
  { page, per_page }: PageAsked,
  waiting: Promise<ScheduledRow[]>,
  now: number,
) =>
  listPage(
    table,
    {
      list,
      page,
      perPage: per_page,
      ...(list.name !== PAGES.name && { below: lastAt(now) }),
      hidden: waiting.then(rows => hiddenIn(list.name, rows)),
    },
    PostEntry,
  )

const lastAt = (now: number): string => timeOrder(now, Number.MAX_SAFE_INTEGER)

const nothingHidden = Promise.resolve<string[]>([])

export const listForAdmin = (table: Table, list: List, { page, per_page }: PageAsked) =>
  listPage(table, { list, page, perPage: per_page, hidden: nothingHidden }, PostEntry)

const MOST_RELATED = 5

/** The newest live posts that share a category with this one, never itself. */
export const listRelated = async (table: Table, post: Post, now: number): Promise<PostEntry[]> => {
  const Entry = z.object({ sk: z.string(), item: PostEntry })
  const lists = post.category_ids.map(id => categoryList(id).name)
  const newest = await Promise.all(
    lists.map(name =>
      table.query(
        {
          pk: listPartition(name),
          from: entryKey(name, '').sk,
          to: entryKey(name, lastAt(now)).sk,
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
export const withBodies = async (table: Table, entries: PostEntry[], now: number): Promise<Whole[]> => {
  const items = await table.findMany(entries.map(({ id }) => bodyKey(id)))
  const byId = new Map(items.map(item => BodyItem.parse(item)).map(item => [item.id, item]))
  const shown: Whole[] = []
  let bytes = 0
  for (let n = 0; n < entries.length && bytes < MOST_BYTES; n += AT_ONCE) {
    const next = entries.slice(n, n + AT_ONCE).map(post => withBody(table, post, byId.get(post.id)))
    const live = (await Promise.all(next)).flatMap(found => (found && isLive(found.post, now) ? found : []))
    for (const whole of live) {
      bytes += Buffer.byteLength(whole.body)
      shown.push(whole)
    }
  }
  return shown
}

const withBody = async (table: Table, post: PostEntry, item: BodyItem | undefined) => {
  const body = item?.version === post.body_version ? await unpackText(table, item) : undefined
  return body === undefined ? await findPostWithBody(table, post.id) : { post, body }
}

/** Live, and of the kind that this path serves; anything else is not there for the public. */
export const isPublic = (post: Post, type: ContentType, now: number): boolean =>
  post.content_type === type && isLive(post, now)
