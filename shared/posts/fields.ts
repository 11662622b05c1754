// The fields of posts and pages: what comes in, and the three views that go out.
import { z } from 'zod'
import { httpUrl, optionalLine, optionalWords, requiredLine, Text } from '../http/text.ts'
import { Time, TimeInput } from '../http/time.ts'
import { SlugInput } from './slug.ts'

export const ContentType = z.enum(['post', 'page'])
export type ContentType = z.infer<typeof ContentType>

const ImageUrl = httpUrl(500)
const Image = z.object(
  {
    thumbnail: ImageUrl.optional(),
    medium: ImageUrl.optional(),
    large: ImageUrl.optional(),
    original: ImageUrl.optional(),
  },
  'Must be an object.',
)

const MOST_CATEGORIES = 12
const wholeId = z.int('Must be a whole number.').positive('Must be a positive number.')

/** The write fields of PATCH: a member that is not there is left as it is. */
export const PostChange = z.object({
  title: requiredLine(255).optional(),
  slug: SlugInput.optional(),
  body: Text.optional(),
  short_description: optionalWords(500).optional(),
  content_type: ContentType.optional(),
  is_published: z.boolean('Must be true or false.').optional(),
  posted_at: TimeInput.nullable().optional(),
  seo_title: optionalLine(60).optional(),
  meta_desc: optionalLine(155).optional(),
  category_ids: z
    .array(wholeId, 'Must be an array of ids.')
    .refine(ids => new Set(ids).size <= MOST_CATEGORIES, `Must be at most ${MOST_CATEGORIES} categories.`)
    .meta({ maxItems: MOST_CATEGORIES })
    .optional(),
  featured_image: Image.nullable().optional(),
  author_id: wholeId.optional(),
})
export type PostChange = z.infer<typeof PostChange>

export const PostInput = PostChange.extend({ title: requiredLine(255) })
export type PostInput = z.infer<typeof PostInput>

export const CategoryOfPost = z.object({ id: z.int(), name: z.string(), slug: z.string() })

const listShape = {
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  excerpt: z.string(),
  content_type: ContentType,
  featured_image: Image,
  author: z.object({ name: z.string(), avatar: z.string().nullable() }),
  categories: z.array(CategoryOfPost),
  reading_time: z.int(),
  posted_at: Time,
  updated_at: Time,
}
const bodyShape = { body: z.string(), seo_title: z.string(), meta_desc: z.string() }

export const SinglePost = z.object({ ...listShape, ...bodyShape }).meta({ id: 'Post' })
export type SinglePost = z.infer<typeof SinglePost>

/** With `include=body` an item carries what a single post does. */
export const PostListItem = z
  .object({ ...listShape, ...z.object(bodyShape).partial().shape })
  .meta({ id: 'PostListItem' })
export type PostListItem = z.infer<typeof PostListItem>

const adminShape = {
  ...listShape,
  posted_at: Time.nullable(),
  seo_title: z.string(),
  meta_desc: z.string(),
  is_published: z.boolean(),
  status: z.enum(['draft', 'scheduled', 'published']),
  short_description: z.string(),
  category_ids: z.array(z.int()),
  author_id: z.int(),
  created_at: Time,
  version: z.int(),
}

export const AdminListItem = z.object(adminShape).meta({ id: 'AdminPostListItem' })
export type AdminListItem = z.infer<typeof AdminListItem>
export const AdminPost = z.object({ ...adminShape, body: z.string() }).meta({ id: 'AdminPost' })
export type AdminPost = z.infer<typeof AdminPost>

export const IncludeQuery = z.object({
  include: z.literal('body', 'Only "body" can be included.').optional(),
})
