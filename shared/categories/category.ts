// The rules of categories: their order, changes, views, and how many there may be. No I/O.
import * as z from 'zod/mini'
import type { PublicChange } from '../feed/commit.ts'
import type { Note } from '../feed/note.ts'
import { folded } from '../http/text.ts'
import { rootAttributes, visibleCount } from '../lists/counted-list.ts'
import { categoryList, scheduledOrders } from '../posts/lists.ts'
import type { PublicEntry } from '../posts/post.ts'
import type { Category, CategoryChange } from './contract.ts'

/** The record is also the root of the category's list of posts, so it contains the counts of that list. */
export const CategoryRecord = z.extend(rootAttributes, {
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  version: z.int(),
})
export type CategoryRecord = z.infer<typeof CategoryRecord>

/** `isOnPosts`: posts and pages may show the change, too. */
export function changedCategory({ id, slug }: CategoryRecord, isOnPosts: boolean): PublicChange {
  const note: Note = { kind: 'category', id, slug }
  return { raised: 'names', notes: isOnPosts ? [note, { kind: 'all' }] : [note] }
}

type NamedRecord = { id: number; name: string }

/** Sorts by name in lower case without diacritics, then by id. */
export function byName(a: NamedRecord, b: NamedRecord): number {
  const [left, right] = [folded(a.name), folded(b.name)]
  return left < right ? -1 : left > right ? 1 : a.id - b.id
}

/** Returns `category` itself if the change makes no difference. */
export function applyCategoryChange(
  category: CategoryRecord,
  change: z.output<typeof CategoryChange>,
): CategoryRecord {
  const { name = category.name, description = category.description } = change
  const slug = change.slug || category.slug
  const isSame = name === category.name && slug === category.slug && description === category.description
  return isSame ? category : { ...category, name, slug, description, version: category.version + 1 }
}

/** Its count leaves out scheduled posts, which the list already has. */
export function countedCategoryView(category: CategoryRecord, scheduled: PublicEntry[]): Category {
  const { id, name, slug, description } = category
  const posts_count = visibleCount(category, scheduledOrders(categoryList(id).name, scheduled).length)
  return { id, name, slug, description, posts_count }
}

export const Totals = z.object({
  /** A new random id with each change. */
  revision: z.string(),
  count: z.int(),
})
export type Totals = z.infer<typeof Totals>

export const MAX_CATEGORIES = 5_000
