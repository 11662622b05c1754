// The endpoints of categories, for readers and for admins.
import * as z from 'zod/mini'
import { EmptyData, endpoint, group, Id } from '../http/endpoint.ts'
import { ONE_START, walkParameters } from '../http/list-query.ts'
import { named } from '../http/named.ts'
import { optionalText, requiredLine } from '../http/text.ts'
import { INCLUDE, ORDER, PostListItem } from '../posts/fields.ts'
import { SlugInput } from '../slugs/slug.ts'

export const Category = named(
  'Category',
  z.object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    posts_count: z.int(),
  }),
)
export type Category = z.infer<typeof Category>

const Description = optionalText(1000)

export const CategoryInput = z.object({
  name: requiredLine(100),
  slug: z.optional(SlugInput),
  description: z._default(Description, ''),
})
export const CategoryChange = z.object({
  name: z.optional(requiredLine(100)),
  slug: z.optional(SlugInput),
  description: z.optional(Description),
})

const bySlug = z.object({ slug: z.string() })
const byId = z.object({ id: Id })

export const categories = group(() => ({
  listCategories: endpoint({
    method: 'GET',
    path: '/api/v1/categories',
    summary: 'List all categories by name',
    message: 'Categories.',
    data: z.array(Category),
  }),
  getCategory: endpoint({
    method: 'GET',
    path: '/api/v1/categories/{slug}',
    summary: 'Get a category',
    message: 'Category.',
    params: bySlug,
    data: Category,
  }),
  listPostsOfCategory: endpoint({
    method: 'GET',
    path: '/api/v1/categories/{slug}/posts',
    summary: 'List the public posts of a category, newest first',
    message: 'Posts.',
    params: bySlug,
    query: z.object({ ...walkParameters(), ...ORDER, ...INCLUDE }).check(ONE_START),
    data: z.array(PostListItem),
    isPaginated: true,
    hasCursor: true,
  }),
}))

export const adminCategories = group(() => ({
  listCategories: endpoint({
    method: 'GET',
    path: '/api/v1/admin/categories',
    audience: 'admin',
    summary: 'List all categories by name',
    message: 'Categories.',
    data: z.array(Category),
  }),
  createCategory: endpoint({
    method: 'POST',
    path: '/api/v1/admin/categories',
    audience: 'admin',
    isVersioned: true,
    summary: 'Create a category',
    message: 'Category created.',
    body: CategoryInput,
    data: Category,
    status: 201,
  }),
  getCategory: endpoint({
    method: 'GET',
    path: '/api/v1/admin/categories/{id}',
    audience: 'admin',
    isVersioned: true,
    summary: 'Get a category',
    message: 'Category.',
    params: byId,
    data: Category,
  }),
  changeCategory: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/categories/{id}',
    audience: 'admin',
    isVersioned: true,
    summary: 'Update a category',
    message: 'Category updated.',
    params: byId,
    body: CategoryChange,
    data: Category,
  }),
  deleteCategory: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/categories/{id}',
    audience: 'admin',
    isVersioned: true,
    summary: 'Delete a category permanently',
    message: 'Category deleted.',
    params: byId,
    data: EmptyData,
  }),
}))
