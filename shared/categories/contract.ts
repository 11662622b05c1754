// The endpoints of categories, for readers and for admins.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { byId, bySlug, ONE_START, WALK } from '../http/parameters.ts'
import { optionalText, requiredLine } from '../http/text.ts'
import { LISTED_POST } from '../posts/examples.ts'
import { INCLUDE, ORDER, PostListItem } from '../posts/fields.ts'
import { SlugInput } from '../slugs/slug.ts'

export const Category = named(
  'Category',
  members({
    id: [z.int(), 'Numeric id.'],
    name: [z.string(), 'The name that readers see.'],
    slug: [z.string(), 'The part of the URL that names the category.'],
    description: [z.string(), 'Plain text; empty if there is none.'],
    posts_count: [
      z.int(),
      'Number of its posts that readers see. Drafts, scheduled posts and pages do not count.',
    ],
  }),
)
export type Category = z.infer<typeof Category>

const Description = optionalText(1000)
const DESCRIPTION_TEXT = 'Plain text of at most 1,000 characters.'
const SLUG_TEXT = `The part of the URL that names the category: 1 to 200 letters and digits of any script, with \`-\`, \`_\`, \`.\` or
  \`~\` between them. Unique among categories.`
const Name = requiredLine(100)
const NAME_TEXT = 'The name that readers see: one line of 1 to 100 characters. Two categories may share one.'

export const CategoryInput = members({
  name: [Name, NAME_TEXT, 'Events'],
  slug: [z.optional(SlugInput), `${SLUG_TEXT} Left out or empty: derived from the name.`, 'events'],
  description: [z._default(Description, ''), `${DESCRIPTION_TEXT} By default empty.`, 'Where to meet us.'],
})
export const CategoryChange = members({
  name: [z.optional(Name), NAME_TEXT, 'Events'],
  slug: [z.optional(SlugInput), `${SLUG_TEXT} Empty: unchanged.`, 'events'],
  description: [z.optional(Description), DESCRIPTION_TEXT, 'Where to meet us.'],
})

const ofCategory = byId('category')

const NEWS = { id: 1, name: 'News', slug: 'news', description: 'What is new.', posts_count: 2 }
const EVENTS = { id: 3, name: 'Events', slug: 'events', description: 'Where to meet us.', posts_count: 0 }

export const categories = group({ public: 'Categories and their published posts.' }, () => ({
  listCategories: endpoint({
    method: 'GET',
    path: '/api/v1/categories',
    summary: 'List all categories by name',
    description: 'Sorted by name, without regard to case and diacritics. The list is whole.',
    message: 'Categories.',
    data: z.array(Category),
    example: { data: [NEWS] },
  }),
  getCategory: endpoint({
    method: 'GET',
    path: '/api/v1/categories/{slug}',
    summary: 'Get a category',
    message: 'Category.',
    params: bySlug('category'),
    data: Category,
    example: { params: { slug: 'news' }, data: NEWS },
  }),
  listPostsOfCategory: endpoint({
    method: 'GET',
    path: '/api/v1/categories/{slug}/posts',
    summary: 'List the public posts of a category, newest first',
    description: 'The same as `GET /api/v1/posts?category=…`, except that an unknown category is a 404.',
    message: 'Posts.',
    params: bySlug('category'),
    query: members({ ...WALK, ...ORDER, ...INCLUDE }).check(ONE_START),
    data: z.array(PostListItem),
    example: { params: { slug: 'news' }, data: [LISTED_POST] },
  }),
}))

export const adminCategories = group({ admin: 'Write categories. Needs the ability `admin`.' }, () => ({
  listCategories: endpoint({
    method: 'GET',
    path: '/api/v1/admin/categories',
    summary: 'List all categories by name',
    description: 'The list is whole.',
    message: 'Categories.',
    data: z.array(Category),
    example: { data: [NEWS] },
  }),
  createCategory: endpoint({
    method: 'POST',
    path: '/api/v1/admin/categories',
    isVersioned: true,
    summary: 'Create a category',
    description: 'There are at most 5,000 categories: one more is a 422 on `categories`.',
    message: 'Category created.',
    body: CategoryInput,
    data: Category,
    status: 201,
    example: { body: { name: 'Events', description: 'Where to meet us.' }, data: EVENTS },
  }),
  getCategory: endpoint({
    method: 'GET',
    path: '/api/v1/admin/categories/{id}',
    isVersioned: true,
    summary: 'Get a category',
    message: 'Category.',
    params: ofCategory,
    data: Category,
    example: { params: { id: 1 }, data: NEWS },
  }),
  changeCategory: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/categories/{id}',
    isVersioned: true,
    summary: 'Update a category',
    description: 'Members that are left out keep their values. It fires nothing and changes no post.',
    message: 'Category updated.',
    params: ofCategory,
    body: CategoryChange,
    data: Category,
    example: { params: { id: 1 }, body: { description: 'What is new.' }, data: NEWS },
  }),
  deleteCategory: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/categories/{id}',
    isVersioned: true,
    summary: 'Delete a category permanently',
    description: `Its posts stay and leave the category: no read shows it from the answer on, however many posts it had. It
          fires nothing and changes no post's \`version\` or \`updated_at\`.`,
    message: 'Category deleted.',
    params: ofCategory,
    example: { params: { id: 3 } },
  }),
}))
