// Public reads of categories.
import { categories } from '../shared/categories/contract.ts'
import {
  countedCategories,
  countedCategory,
  findCategoryIdBySlug,
} from '../shared/categories/store/categories.ts'
import { notFound } from '../shared/http/errors.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { categoryList } from '../shared/posts/lists.ts'
import { showPublicPage } from '../shared/posts/store/public-page.ts'

export const handler = serve(categories, {
  listCategories: async ({ table, nowMs }) => reply(await countedCategories(table, nowMs)),

  getCategory: async ({ params, table, nowMs }) => reply(await countedCategory(table, params.slug, nowMs)),

  listPostsOfCategory: async ({ params, query, table, nowMs }) => {
    const id = await findCategoryIdBySlug(table, params.slug)
    if (id === undefined) throw notFound('Category')
    return await showPublicPage(table, categoryList(id), query, nowMs)
  },
})
