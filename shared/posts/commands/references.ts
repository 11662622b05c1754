// What a post refers to: its categories, its authors and the owner of its slug.
import { findAuthors } from '../../accounts/store/users.ts'
import type { Author } from '../../accounts/user.ts'
import { type CategorySummary, listCachedCategories } from '../../categories/store.ts'
import { type Fields, invalid } from '../../http/errors.ts'
import { SLUG_FAULT } from '../../slugs/reserve.ts'
import type { Table } from '../../table/client.ts'
import type { PostChange } from '../fields.ts'
import { findSlugLock } from '../store/posts.ts'

export type PostReferences = {
  categories: CategorySummary[]
  authors: Map<number, Author>
  slugOwner: number | undefined
}

type ReferenceQuery = { slug?: string | null | undefined; authorIds: number[] }

/** Reads all references in parallel. */
export async function findReferences(
  table: Table,
  { slug, authorIds }: ReferenceQuery,
): Promise<PostReferences> {
  const [categories, lock, authors] = await Promise.all([
    listCachedCategories(table),
    slug ? findSlugLock(table, slug) : undefined,
    findAuthors(table, authorIds),
  ])
  return { categories, authors, slugOwner: lock?.id }
}

/**
 * The slug must be free, the categories and the author must exist. Throws VALIDATION_ERROR with all faults
 * together. `postId` is null for a new post.
 */
export function checkReferences(change: PostChange, references: PostReferences, postId: number | null): void {
  const ids = new Set(references.categories.map(({ id }) => id))
  const { author_id } = change
  const missing = (change.category_ids ?? []).flatMap((id, n) =>
    ids.has(id) ? [] : [[`category_ids.${n}`, ['Does not exist.']] as const],
  )
  const faults: Fields = {
    ...(references.slugOwner !== undefined && references.slugOwner !== postId && SLUG_FAULT),
    ...(author_id !== undefined && !references.authors.has(author_id) && { author_id: ['Does not exist.'] }),
    ...Object.fromEntries(missing),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}
