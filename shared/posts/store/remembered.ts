// Posts as a function last saw them, possibly outdated: they only decide what is read together with a post.
import { approximateBytes, openByteCache } from '../../cache/byte-cache.ts'
import type { Table } from '../../table/client.ts'
import { perTable } from '../../table/per-table.ts'
import type { Post } from '../post.ts'

const MAX_BYTES = 1_000_000
const postsOf = perTable(() => openByteCache<Post>(MAX_BYTES, approximateBytes))

export function rememberPost(table: Table, post: Post): void {
  postsOf(table).set(String(post.id), post)
}

export function rememberedPost(table: Table, id: number): Post | undefined {
  return postsOf(table).get(String(id))
}
