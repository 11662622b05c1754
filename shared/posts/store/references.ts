// Reads what a post refers to: its categories, its authors and the owner of its slug.
import type { Author } from '../../accounts/author.ts'
import { findAuthors } from '../../accounts/store/authors.ts'
import { type CategorySummary, listCachedCategories } from '../../categories/store/category-cache.ts'
import type { Table } from '../../table/client.ts'
import { findSlugLock } from './posts.ts'

export type PostReferences = {
  categories: CategorySummary[]
  authors: Map<number, Author>
  slugOwner: number | undefined
}

type Referred = { slug?: string | null | undefined; authorIds: number[] }

/** Reads all references in parallel. */
export async function findReferences(table: Table, { slug, authorIds }: Referred): Promise<PostReferences> {
  const [categories, lock, authors] = await Promise.all([
    listCachedCategories(table),
    slug ? findSlugLock(table, slug) : undefined,
    findAuthors(table, authorIds),
  ])
  return { categories, authors, slugOwner: lock?.id }
}
