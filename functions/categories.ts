// Public reads of categories.
import { categories } from '../shared/categories/contract.ts'
import {
  countedCategories,
  findCategoryIdBySlug,
  getCategory,
} from '../shared/categories/store/categories.ts'
import { withCount } from '../shared/categories/view.ts'
import { notFound } from '../shared/http/errors.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { categoryList } from '../shared/posts/lists.ts'
import { showPublicPage } from '../shared/posts/store/public-page.ts'
import { listWaiting } from '../shared/posts/store/scheduled.ts'

export const handler = serve(categories, {
  listCategories: async ({ table, nowMs }) => reply(await countedCategories(table, nowMs)),

  getCategory: async ({ params, table, nowMs }) => {
    const [id, waiting] = await Promise.all([
      findCategoryIdBySlug(table, params.slug),
      listWaiting(table, Math.floor(nowMs / 1000)),
    ])
    if (id === undefined) throw notFound('Category')
    const category = await getCategory(table, id)
    // Another one may have it by now.
    if (category.slug !== params.slug) throw notFound('Category')
    return reply(withCount(category, waiting))
  },

  listPostsOfCategory: async ({ params, query, table, nowMs }) => {
    const id = await findCategoryIdBySlug(table, params.slug)
    if (id === undefined) throw notFound('Category')
    return await showPublicPage(table, categoryList(id), query, nowMs)
  },
})
