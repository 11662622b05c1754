// The views of a category. No I/O.
import { countOf } from '../lists/counted-list.ts'
import { categoryList, hiddenOrders } from '../posts/lists.ts'
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

export function withCount(category: CategoryRecord, scheduled: PublicEntry[]): Category {
  return categoryView(
    category,
    countOf(category, hiddenOrders(categoryList(category.id).name, scheduled).length),
  )
}
