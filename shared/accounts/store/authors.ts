// Reads public profiles and caches them for a minute: a page of posts has many authors, who seldom change.
import type { Table } from '../../table/client.ts'
import { authorKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { Author } from '../author.ts'

const CACHE_MS = 60_000
const MAX_CACHED = 5_000
type CachedAuthor = { author: Author | undefined; untilMs: number }
/** By id. Missing profiles are cached as well, so that they cost no more than existing ones. */
const cacheOf = perTable(() => new Map<number, CachedAuthor>())

/** Reads current profiles, for events and stored answers, where an outdated name would stay. */
export async function readAuthors(table: Table, ids: number[], nowMs: number): Promise<Map<number, Author>> {
  const cache = cacheOf(table)
  const authors = (await table.findMany(ids.map(authorKey))).map(item => Author.parse(item))
  for (const author of authors) cache.set(author.id, { author, untilMs: nowMs + CACHE_MS })
  return new Map(authors.map(author => [author.id, author]))
}

/** The profiles with these ids, at most a minute old. Missing ones are left out. */
export async function findAuthors(table: Table, ids: number[], nowMs: number): Promise<Map<number, Author>> {
  const cache = cacheOf(table)
  if (cache.size > MAX_CACHED) cache.clear()
  const uncached = [...new Set(ids)].filter(id => (cache.get(id)?.untilMs ?? 0) <= nowMs)
  const found = await readAuthors(table, uncached, nowMs)
  const missing = uncached.filter(id => !found.has(id))
  for (const id of missing) cache.set(id, { author: undefined, untilMs: nowMs + CACHE_MS })
  return new Map(
    ids.flatMap(id => {
      const author = cache.get(id)?.author
      return author ? [[id, author] as const] : []
    }),
  )
}
