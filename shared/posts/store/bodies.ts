// Reads posts with their bodies, which are items of their own.
import * as z from 'zod/mini'
import { type DocItem, storedDoc } from '../../search/documents.ts'
import { PackedText, unpackText } from '../../table/blob.ts'
import { findById, type Table } from '../../table/client.ts'
import { bodyKey, docKey, type Item, type Key, postKey } from '../../table/design.ts'
import { readConsistently } from '../../table/retrying.ts'
import { isLive, Post, type PostEntry } from '../post.ts'
import { UNUSED_ID } from './posts.ts'

export const BodyItem = z.extend(PackedText, { id: z.int(), version: z.int() })

export type BodyItem = z.infer<typeof BodyItem>

export type StoredPost = { post: Post; bodyItem: BodyItem }
type PostToChange = StoredPost & { doc: DocItem | undefined }

type PostWithBody = { post: Post; body: string }

/** Returns a post and its body item, both of the same version, and the items of `others`. */
export async function findPost(table: Table, id: number, others: Key[] = []) {
  const found = await readConsistently(`Post ${id}`, table, async table => {
    const items = await table.findMany([postKey(id), bodyKey(id), ...others])
    const post = items.find(({ sk }) => sk === postKey(id).sk)
    const body = items.find(({ sk }) => sk === bodyKey(id).sk)
    if (!post || !body) return null
    const stored: StoredPost = { post: Post.parse(post), bodyItem: BodyItem.parse(body) }
    const isSame = stored.bodyItem.version === stored.post.body_version
    return isSame ? { ...stored, others: items.filter(item => item !== post && item !== body) } : undefined
  })
  return found ?? undefined
}

/** The same, with what the search index has of the post. */
export async function findPostToChange(table: Table, id: number): Promise<PostToChange | undefined> {
  const found = await findPost(table, id, [docKey(id)])
  return found && { ...found, doc: storedDoc(found.others[0]) }
}

/** Undefined if the item is not of this version of the post, or if the text was replaced since. */
export async function bodyTextOf(
  table: Table,
  post: PostEntry,
  item: Item | BodyItem | undefined,
): Promise<string | undefined> {
  const body = item && BodyItem.parse(item)
  return body?.version === post.body_version ? await unpackText(table, body) : undefined
}

/**
 * Returns a post with the text of its body, which is read only if the post may be shown. Reads both again if
 * the body is replaced between the reads. `id` is undefined if there is no such post.
 */
export async function findPostWithBody(
  table: Table,
  id = UNUSED_ID,
  isShown: (post: Post) => boolean = () => true,
): Promise<PostWithBody | undefined> {
  const post = await readConsistently(`The body of post ${id}`, table, async table => {
    const stored = await findPost(table, id)
    if (!stored || !isShown(stored.post)) return null
    const body = await unpackText(table, stored.bodyItem)
    return body === undefined ? undefined : { post: stored.post, body }
  })
  return post ?? undefined
}

/** More than an answer may have. The answer becomes an error, so further bodies are not read. */
const MAX_BYTES = 6_000_000

const MAX_AT_ONCE = 10

type EntryWithBody = { post: PostEntry; body: string }

/** Returns a page of posts with their bodies. A post that changed since the page was read is read again. */
export async function withBodies(
  table: Table,
  entries: PostEntry[],
  nowSeconds: number,
): Promise<EntryWithBody[]> {
  const byId = await findById(
    table,
    entries.map(({ id }) => bodyKey(id)),
    BodyItem,
  )
  const posts: EntryWithBody[] = []
  let bytes = 0
  for (let n = 0; n < entries.length && bytes < MAX_BYTES; n += MAX_AT_ONCE) {
    const batch = await Promise.all(
      entries.slice(n, n + MAX_AT_ONCE).map(post => withBody(table, post, byId.get(post.id))),
    )
    for (const entry of batch) {
      if (entry === undefined || !isLive(entry.post, nowSeconds)) continue
      bytes += Buffer.byteLength(entry.body)
      posts.push(entry)
    }
  }
  return posts
}

async function withBody(table: Table, post: PostEntry, item: BodyItem | undefined) {
  const body = await bodyTextOf(table, post, item)
  return body === undefined ? await findPostWithBody(table, post.id) : { post, body }
}
