// A category as clients see it. No I/O.
import { visibleCount } from '../lists/counted-list.ts'
import { categoryList, scheduledOrders } from '../posts/lists.ts'
import type { PublicEntry } from '../posts/post.ts'
import type { CategoryRecord } from './category.ts'
import type { Category } from './contract.ts'

export function categoryView(
  { id, name, slug, description }: Pick<CategoryRecord, 'id' | 'name' | 'slug' | 'description'>,
  postsCount: number,
): Category {
  return {
    id,
    name,
    slug,
    description,
    posts_count: postsCount,
  }
}

/** Its count leaves out scheduled posts, which the list already has. */
export function countedCategoryView(category: CategoryRecord, scheduled: PublicEntry[]): Category {
  return categoryView(
    category,
    visibleCount(category, scheduledOrders(categoryList(category.id).name, scheduled).length),
  )
}
