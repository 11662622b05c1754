// The rules of categories: their order, and what a change does. No I/O.
import * as z from 'zod/mini'
import type { PublicChange } from '../feed/commit.ts'
import { folded } from '../http/text.ts'
import { rootAttributes } from '../lists/counted-list.ts'
import type { CategoryChange } from './contract.ts'

/** The record is also the root of the category's list of posts, so it contains the counts of that list. */
export const CategoryRecord = z.extend(rootAttributes, {
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string(),
  version: z.int(),
})
export type CategoryRecord = z.infer<typeof CategoryRecord>

/** What the feed notes of a category. `shownFromMs`: from when on posts and pages show the change, too. */
export function changedCategory(
  { id, slug }: CategoryRecord,
  shownFromMs = Number.POSITIVE_INFINITY,
): (nowMs: number) => PublicChange {
  return nowMs => ({
    raised: 'names',
    notes: [{ kind: 'category', id, slug, onPosts: shownFromMs <= nowMs }],
  })
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
