// What only the table knows of an input: whether the slug is free, the categories and the author exist.
import { findAuthors } from '../../accounts/store/authors.ts'
import { type KnownCategory, knownCategories } from '../../categories/store/known.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { type Fields, invalid } from '../../http/errors.ts'
import { SLUG_FAULT } from '../../slugs/reserve.ts'
import type { PostChange } from '../fields.ts'
import { findPostBySlug } from '../store/posts.ts'

export type Known = { categories: KnownCategory[]; slugOwner: number | undefined; isAuthor: boolean }

/** Read side by side, before anything is decided. */
export async function readKnown({ table, nowMs }: UnitOfWork, change: PostChange): Promise<Known> {
  const { slug, author_id } = change
  const [categories, lock, authors] = await Promise.all([
    knownCategories(table),
    slug ? findPostBySlug(table, slug) : undefined,
    author_id === undefined ? undefined : findAuthors(table, [author_id], nowMs),
  ])
  return { categories, slugOwner: lock?.id, isAuthor: !authors || authors.size > 0 }
}

/** Throws VALIDATION_ERROR with all of them at once. `postId` is null for a post that is to be made. */
export function check(change: PostChange, known: Known, postId: number | null): void {
  const ids = new Set(known.categories.map(({ id }) => id))
  const missing = (change.category_ids ?? []).flatMap((id, n) =>
    ids.has(id) ? [] : [[`category_ids.${n}`, ['Does not exist.']] as const],
  )
  const faults: Fields = {
    ...(known.slugOwner !== undefined && known.slugOwner !== postId && SLUG_FAULT),
    ...(!known.isAuthor && { author_id: ['Does not exist.'] }),
    ...Object.fromEntries(missing),
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}
