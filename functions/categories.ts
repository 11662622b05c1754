// Public reads of categories.
import { categories } from '../shared/categories/contract.ts'
import { countedCategories } from '../shared/categories/counted.ts'
import { findCategoryIdBySlug } from '../shared/categories/store.ts'
import { notFound } from '../shared/http/errors.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { categoryList } from '../shared/posts/places.ts'
import { showPublicPage } from '../shared/posts/show.ts'

export const handler = serve(categories, {
  listCategories: async ({ table, nowMs }) => reply(await countedCategories(table, nowMs)),

  getCategory: async ({ params, table, nowMs }) => {
    const category = (await countedCategories(table, nowMs)).find(({ slug }) => slug === params.slug)
    if (!category) throw notFound('Category')
    return reply(category)
  },

  listPostsOfCategory: async ({ params, query, table, nowMs }) => {
    const id = await findCategoryIdBySlug(table, params.slug)
    if (id === undefined) throw notFound('Category')
    return await showPublicPage(table, categoryList(id), query, nowMs)
  },
})
