// Reads what a post refers to: its categories, its author and the owner of its slug.
import { findAuthors } from '../../accounts/store/authors.ts'
import { type CategorySummary, listCachedCategories } from '../../categories/store/category-cache.ts'
import type { Table } from '../../table/client.ts'
import type { PostChange } from '../fields.ts'
import { findSlugLock } from './posts.ts'

export type PostReferences = {
  categories: CategorySummary[]
  slugOwner: number | undefined
  isAuthor: boolean
}

/** Reads all references in parallel. */
export async function findReferences(
  table: Table,
  change: PostChange,
  nowMs: number,
): Promise<PostReferences> {
  const { slug, author_id } = change
  const [categories, lock, authors] = await Promise.all([
    listCachedCategories(table),
    slug ? findSlugLock(table, slug) : undefined,
    author_id === undefined ? undefined : findAuthors(table, [author_id], nowMs),
  ])
  return { categories, slugOwner: lock?.id, isAuthor: !authors || authors.size > 0 }
}
