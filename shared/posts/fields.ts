// The schemas of posts and pages: inputs, and the views for readers and admins.
import * as z from 'zod/mini'
import { arrayOf } from '../http/array.ts'
import { named } from '../http/named.ts'
import { httpUrl, optionalLine, optionalWords, requiredLine, Text } from '../http/text.ts'
import { Time, TimeInput } from '../http/time.ts'
import { SlugInput } from '../slugs/slug.ts'

export const ContentType = z.enum(['post', 'page'])
export type ContentType = z.infer<typeof ContentType>

function urlsOf(url: z.ZodMiniType<string, string>) {
  const optionalUrl = z.optional(url)
  return { thumbnail: optionalUrl, medium: optionalUrl, large: optionalUrl, original: optionalUrl }
}

export const ImageInput = z.object(urlsOf(httpUrl(500)), 'Must be an object.')
/** Looser than the input: rules may become stricter. */
export const Image = z.object(urlsOf(z.string()))

const MAX_CATEGORIES = 12
const wholeId = z.int('Must be a whole number.').check(z.positive('Must be a positive number.'))

/** The body of PATCH: missing members stay unchanged. */
export const PostChange = z.object({
  title: z.optional(requiredLine(255)),
  slug: z.optional(SlugInput),
  body: z.optional(Text),
  short_description: z.optional(optionalWords(500)),
  content_type: z.optional(ContentType),
  is_published: z.optional(z.boolean('Must be true or false.')),
  posted_at: z.optional(z.nullable(TimeInput)),
  seo_title: z.optional(optionalLine(60)),
  meta_desc: z.optional(optionalLine(155)),
  category_ids: z.optional(
    arrayOf(wholeId, { not: 'Must be an array of ids.' }).check(
      z.refine(ids => new Set(ids).size <= MAX_CATEGORIES, `Must be at most ${MAX_CATEGORIES} categories.`),
      z.meta({ maxItems: MAX_CATEGORIES }),
    ),
  ),
  featured_image: z.optional(z.nullable(ImageInput)),
  author_id: z.optional(wholeId),
})
export type PostChange = z.infer<typeof PostChange>

export const PostInput = z.extend(PostChange, { title: requiredLine(255) })
export type PostInput = z.infer<typeof PostInput>

export const CategoryOfPost = z.object({ id: z.int(), name: z.string(), slug: z.string() })

const ListFields = z.object({
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  excerpt: z.string(),
  content_type: ContentType,
  featured_image: Image,
  author: z.object({ name: z.string(), avatar: z.nullable(z.string()) }),
  categories: z.array(CategoryOfPost),
  reading_time: z.int(),
  posted_at: Time,
  updated_at: Time,
})
const Body = { body: z.string(), seo_title: z.string(), meta_desc: z.string() }

export const SinglePost = named('Post', z.extend(ListFields, Body))
export type SinglePost = z.infer<typeof SinglePost>

/** With `include=body` an item has all members of a single post. */
export const PostListItem = named(
  'PostListItem',
  z.partial(z.extend(ListFields, Body), { body: true, seo_title: true, meta_desc: true }),
)
export type PostListItem = z.infer<typeof PostListItem>

export const AdminListItem = named(
  'AdminPostListItem',
  z.extend(ListFields, {
    posted_at: z.nullable(Time),
    seo_title: z.string(),
    meta_desc: z.string(),
    is_published: z.boolean(),
    status: z.enum(['draft', 'scheduled', 'published']),
    short_description: z.string(),
    category_ids: z.array(z.int()),
    author_id: z.int(),
    created_at: Time,
    version: z.int(),
  }),
)
export type AdminListItem = z.infer<typeof AdminListItem>
export const AdminPost = named('AdminPost', z.extend(AdminListItem, { body: z.string() }))
export type AdminPost = z.infer<typeof AdminPost>

export const ListOrder = z.enum(['newest', 'oldest'], 'Must be newest or oldest.')
export type ListOrder = z.infer<typeof ListOrder>
export const ORDER = { order: z._default(ListOrder, 'newest') }

export const INCLUDE = { include: z.optional(z.enum(['body'], 'Only "body" can be included.')) }
