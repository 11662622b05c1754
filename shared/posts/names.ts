// The names that posts point to, read beside them: categories with every answer, authors from memory.
import { findAuthors } from '../accounts/authors.ts'
import type { CategoryRecord } from '../categories/category.ts'
import type { Table } from '../table/client.ts'
import type { Names } from './view.ts'

type Pointing = { author_id: number }

export const namesFor = async (
  table: Table,
  posts: Pointing[],
  categories: CategoryRecord[],
  nowMs: number,
): Promise<Names> => ({
  categories: new Map(categories.map(({ id, name, slug }) => [id, { id, name, slug }])),
  authors: await findAuthors(
    table,
    posts.map(({ author_id }) => author_id),
    nowMs,
  ),
})
