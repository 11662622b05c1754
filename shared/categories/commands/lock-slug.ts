// Reserves the slug of a category.
import { SLUG_TAKEN } from '../../slugs/reserve.ts'
import type { Action } from '../../table/action.ts'
import { isNew } from '../../table/conditions.ts'
import { categorySlugKey } from '../../table/design.ts'

/** Fails with SLUG_TAKEN when another category has the slug. */
export function lockSlug(slug: string, id: number): Action {
  return {
    onConditionFailed: SLUG_TAKEN,
    Put: { Item: { ...categorySlugKey(slug), id }, ...isNew },
  }
}
