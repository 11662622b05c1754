// The names that posts point to: of categories as they are now, of authors as they were a minute ago at most.
import { findAuthors } from '../../accounts/store/authors.ts'
import type { CategorySummary } from '../../categories/store/category-cache.ts'
import type { Table } from '../../table/client.ts'
import type { Names } from '../view.ts'

type Pointing = { author_id: number }

export async function namesFor(
  table: Table,
  posts: Pointing[],
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
