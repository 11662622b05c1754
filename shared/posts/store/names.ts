// Reads the names that a view of posts shows: current ones of categories, of authors at most a minute old.
import { findAuthors } from '../../accounts/store/authors.ts'
import type { CategorySummary } from '../../categories/store/category-cache.ts'
import type { Table } from '../../table/client.ts'
import type { Names } from '../view.ts'

export async function namesFor(
  table: Table,
  posts: { author_id: number }[],
  categories: CategorySummary[],
  nowMs: number,
): Promise<Names> {
  return {
    categories: new Map(categories.map(({ id, name, slug }) => [id, { id, name, slug }])),
    authors: await findAuthors(
      table,
      posts.map(({ author_id }) => author_id),
      nowMs,
    ),
  }
}
