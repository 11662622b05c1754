// Handlers of categories, for readers and admins.
import { notFound } from '../http/errors.ts'
import { reply, versioned } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { categoryList } from '../posts/lists.ts'
import { showPublicList } from '../posts/store/post-lists.ts'
import { listScheduled } from '../posts/store/scheduled.ts'
import { countedCategoryView } from './category.ts'
import { changeCategory, createCategory, deleteCategory } from './commands.ts'
import { adminCategories, categories } from './contract.ts'
import { countedCategories, countedCategory, findCategoryIdBySlug, getCategory } from './store.ts'

export const categoryHandlers = handlersOf(categories, {
  listCategories: async ({ content }) => reply(await countedCategories(content.table, content.nowMs)),

  getCategory: async ({ params, content }) =>
    reply(await countedCategory(content.table, params.slug, content.nowMs)),

  listPostsOfCategory: async ({ params, query, content, cursorAt }) => {
    const id = await findCategoryIdBySlug(content.namesTable, params.slug)
    if (id === undefined) throw notFound('Category')
    return await showPublicList(content, categoryList(id), query, cursorAt({ order: query.order }))
  },
})

export const adminCategoryHandlers = handlersOf(adminCategories, {
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

  deleteCategory: ({ params, work, requireMatch }) => deleteCategory(work, { id: params.id, requireMatch }),
})
