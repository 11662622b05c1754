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
  listCategories: async ({ content }) => reply(await countedCategories(content.table, content.nowMs)),

  getCategory: async ({ params, content }) =>
    reply(await countedCategory(content.table, params.slug, content.nowMs)),

  listPostsOfCategory: async ({ params, query, content, cursorAt }) => {
    const id = await findCategoryIdBySlug(content.names, params.slug)
    if (id === undefined) throw notFound('Category')
    return await showPublicPage(content, categoryList(id), query, cursorAt({ order: query.order }))
  },
})
