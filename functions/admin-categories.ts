// Admin reads and writes of categories.
import { changeCategory, deleteCategory } from '../shared/categories/commands/change.ts'
import { createCategory } from '../shared/categories/commands/create.ts'
import { adminCategories } from '../shared/categories/contract.ts'
import { countedCategories, getCategory } from '../shared/categories/store/categories.ts'
import { countedCategoryView } from '../shared/categories/view.ts'
import { noData, reply, versioned } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { listScheduled } from '../shared/posts/store/scheduled.ts'

export const handler = serve(adminCategories, {
  listCategories: async ({ table, nowMs }) => reply(await countedCategories(table, nowMs)),

  createCategory: ({ body, work }) => createCategory(work, body),

  getCategory: async ({ params, table, work }) => {
    const [category, scheduled] = await Promise.all([
      getCategory(table, params.id),
      listScheduled(table, work.nowSeconds),
    ])
    return versioned(countedCategoryView(category, scheduled), category.version)
  },

  changeCategory: ({ params, body, work, requireMatch }) =>
    changeCategory(work, { id: params.id, requireMatch }, body),

  deleteCategory: async ({ params, work, requireMatch }) => {
    await deleteCategory(work, { id: params.id, requireMatch })
    return noData()
  },
})
