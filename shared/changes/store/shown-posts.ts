// Reads parts of the lists in which the posts and pages of an author or a category are found.
import * as z from 'zod/mini'
import type { List } from '../../lists/counted-list.ts'
import { listAfter } from '../../lists/walk.ts'
import { categoryList, PAGES, POSTS, publicListEntries } from '../../posts/lists.ts'
import { PostEntry } from '../../posts/post.ts'
import type { Table } from '../../table/client.ts'
import type { PostsOf } from '../change.ts'
import { endOf, type Walk } from '../position.ts'

/** `posts`: with more of them, all content is pulled again. `read`: how many entries one answer reads. */
export const POSTS_LIMITS = { posts: 10_000, read: 1_000 }
export const READ_AT_ONCE = 250

const ShownBy = z.lazy(() =>
  z.pick(PostEntry, {
    id: true,
    title: true,
    content_type: true,
    author_id: true,
    category_ids: true,
    is_published: true,
    posted_at: true,
  }),
)
type ShownBy = z.infer<typeof ShownBy>

export type PostsReader = { table: Table; nowSeconds: number; limits: typeof POSTS_LIMITS }

export function listOf({ list }: Pick<Walk, 'list'>, id: number): List {
  if (list === 'pages') return PAGES
  return list === 'posts' ? POSTS : categoryList(id)
}

/** The next entries of a list that readers see. */
export function readPart(
  { table, nowSeconds }: PostsReader,
  id: number,
  walk: Omit<Walk, 'until'>,
  count: number,
) {
  const below = walk.list === 'pages' ? undefined : endOf(nowSeconds)
  return listAfter(table, { list: listOf(walk, id), after: walk.after, count, below }, ShownBy)
}

export function orderOf(post: ShownBy, list: List): string | undefined {
  return publicListEntries(post).find(entry => entry.list.name === list.name)?.order
}

export function isShown({ shown, id }: PostsOf, post: ShownBy): boolean {
  return shown === 'author' ? post.author_id === id : post.category_ids.includes(id)
}
