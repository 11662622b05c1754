// Public profiles, kept in memory for a minute: a page of posts has many authors and they seldom change.
import type { Table } from '../../table/client.ts'
import { authorKey } from '../../table/design.ts'
import { perTable } from '../../table/per-table.ts'
import { Author } from '../author.ts'

const KEPT_MS = 60_000
const MOST_KEPT = 5_000
type Kept = { author: Author | undefined; untilMs: number }
/** By id. A missing author is kept as well, so that it costs no more than an existing one. */
const keptOf = perTable(() => new Map<number, Kept>())

/** As they are now: for what is told of a write, where a name of before would stay for good. */
export async function readAuthors(table: Table, ids: number[], nowMs: number): Promise<Map<number, Author>> {
  const kept = keptOf(table)
  const authors = (await table.findMany(ids.map(authorKey))).map(item => Author.parse(item))
  for (const author of authors) kept.set(author.id, { author, untilMs: nowMs + KEPT_MS })
  return new Map(authors.map(author => [author.id, author]))
}

/** The profiles of the ids that exist, as they were at most a minute ago. */
export async function findAuthors(table: Table, ids: number[], nowMs: number): Promise<Map<number, Author>> {
  const kept = keptOf(table)
  if (kept.size > MOST_KEPT) kept.clear()
  const wanted = [...new Set(ids)].filter(id => (kept.get(id)?.untilMs ?? 0) <= nowMs)
  const found = await readAuthors(table, wanted, nowMs)
  for (const id of wanted) if (!found.has(id)) kept.set(id, { author: undefined, untilMs: nowMs + KEPT_MS })
  return new Map(
    ids.flatMap(id => {
      const author = kept.get(id)?.author
      return author ? [[id, author] as const] : []
    }),
  )
}
