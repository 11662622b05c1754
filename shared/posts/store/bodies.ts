// Reads posts with their bodies, which are stored apart from the records.
import * as z from 'zod/mini'
import { notFound } from '../../http/errors.ts'
import type { Table } from '../../table/client.ts'
import { bodyKey, postKey } from '../../table/design.ts'
import { Packed, unpackText } from '../../table/large-text.ts'
import { readConsistently } from '../../table/read-consistently.ts'
import type { ContentType } from '../fields.ts'
import { isLive, isPublic, Post, type PostEntry } from '../post.ts'
import { UNUSED_ID } from './posts.ts'

export const BodyItem = z.extend(Packed, { id: z.int(), version: z.int() })

export type BodyItem = z.infer<typeof BodyItem>

export type StoredPost = { post: Post; bodyItem: BodyItem }

/** The post and its body item, of the same version. */
export async function findPost(table: Table, id: number): Promise<StoredPost | undefined> {
  const stored = await readConsistently(`Post ${id}`, async () => {
    const items = await table.findMany([postKey(id), bodyKey(id)])
    const post = items.find(({ sk }) => sk === postKey(id).sk)
    const body = items.find(({ sk }) => sk === bodyKey(id).sk)
    if (!post || !body) return null
    const found = { post: Post.parse(post), bodyItem: BodyItem.parse(body) }
    return found.bodyItem.version === found.post.body_version ? found : undefined
  })
  return stored ?? undefined
}

export async function getPost(table: Table, id: number): Promise<StoredPost> {
  const stored = await findPost(table, id)
  if (!stored) throw notFound('Post')
  return stored
}

/** The same with the text of its body, which is read only once the post is known to be public. */
export async function findPublicPostWithBody(
  table: Table,
  id: number | undefined,
  type: ContentType,
  nowSeconds: number,
): Promise<{ post: Post; body: string } | undefined> {
  const stored = await findPost(table, id ?? UNUSED_ID)
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
  const found = await readConsistently(`The body of post ${id}`, async () => {
    const stored = await findPost(table, id)
    if (!stored) return null
    const body = await unpackText(table, stored.bodyItem)
    return body === undefined ? undefined : { post: stored.post, body }
  })
  return found ?? undefined
}

type PostWithBody = { post: PostEntry; body: string }

/** More than any answer may have: the bodies behind are not read, since it is refused anyway. */
const MOST_BYTES = 6_000_000

const AT_ONCE = 10

/** The posts of a page with their bodies. One that has changed in between is shown as it is now. */
export async function withBodies(
  table: Table,
  entries: PostEntry[],
  nowSeconds: number,
): Promise<PostWithBody[]> {
  const items = await table.findMany(entries.map(({ id }) => bodyKey(id)))
  const byId = new Map(items.map(item => BodyItem.parse(item)).map(item => [item.id, item]))
  const shown: PostWithBody[] = []
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
