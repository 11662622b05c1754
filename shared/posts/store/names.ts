// Reads the names that a view of posts shows: those of their authors and categories.
import { findAuthors } from '../../accounts/store/users.ts'
import { findCategoryNames } from '../../categories/store.ts'
import type { Table } from '../../table/client.ts'
import type { Names } from '../view.ts'

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
