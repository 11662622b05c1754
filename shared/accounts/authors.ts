// Public profiles, kept in memory for a minute: a page of posts has many authors and they seldom change.
import { z } from 'zod'
import type { Table } from '../table/client.ts'
import { authorKey } from '../table/design.ts'

const Author = z.object({ id: z.int(), name: z.string(), avatar: z.string().nullable() })
export type Author = z.infer<typeof Author>

const KEPT_MS = 60_000
const MOST_KEPT = 5_000
const kept = new Map<number, { author: Author; untilMs: number }>()

/** The profiles of the ids that exist. */
export const findAuthors = async (
  table: Table,
  ids: number[],
  nowMs: number,
): Promise<Map<number, Author>> => {
  if (kept.size > MOST_KEPT) kept.clear()
  const missing = [...new Set(ids)].filter(id => (kept.get(id)?.untilMs ?? 0) <= nowMs)
  const read = missing.length > 0 ? await table.findMany(missing.map(authorKey)) : []
  for (const item of read) {
    const author = Author.parse(item)
    kept.set(author.id, { author, untilMs: nowMs + KEPT_MS })
  }
  return new Map(
    ids.flatMap(id => {
      const author = kept.get(id)?.author
      return author ? [[id, author] as const] : []
    }),
  )
}
