// The schemas of posts and pages: inputs, and the views for readers and admins.
import * as z from 'zod/mini'
import { arrayOf, type Member, members, named, optional, shapeLike } from '../http/members.ts'
import {
  codePoints,
  httpUrl,
  optionalLine,
  optionalWords,
  requiredLine,
  Text,
  TWO_CHARACTERS_PATTERN,
} from '../http/text.ts'
import { Time, TimeInput } from '../http/time.ts'
import { SlugInput } from '../slugs/slug.ts'

export const ContentType = z.enum(['post', 'page'], 'Must be "post" or "page".')
export type ContentType = z.infer<typeof ContentType>

function urlsOf(url: z.ZodMiniType<string, string>) {
  const optionalUrl = z.optional(url)
  return {
    thumbnail: [optionalUrl, 'Absolute URL of the smallest size.'],
    medium: [optionalUrl, 'Absolute URL of the medium size.'],
    large: [optionalUrl, 'Absolute URL of the large size.'],
    original: [optionalUrl, 'Absolute URL of the original.'],
  } as const
}

export const ImageInput = members(urlsOf(httpUrl(500)), 'Must be an object.')
/**
 * Looser than the input: rules may become stricter. Parsing gives the sizes of a record this order, whatever
 * their order in the table: an ETag hashes the answer.
 */
export const Image = members(urlsOf(z.string()))

const MAX_CATEGORIES = 12
const wholeId = z.int('Must be a whole number.').check(z.positive('Must be a positive number.'))

const CategoryIds = z.optional(
  arrayOf(wholeId, { not: 'Must be an array of ids.' }).check(
    z.refine(ids => new Set(ids).size <= MAX_CATEGORIES, `Must be at most ${MAX_CATEGORIES} categories.`),
    z.meta({ maxItems: MAX_CATEGORIES }),
  ),
)
const Flag = z.optional(z.boolean('Must be true or false.'))

/** Texts that belong to the body, as written and as shown. A new one is an entry in both lists. */
export const WRITTEN_TEXTS = {
  seo_title: [
    optionalLine(60),
    'Title for search engines, one line of at most 60 characters. Null or empty: none.',
    'First light',
  ],
  meta_desc: [
    optionalLine(155),
    'Description for search engines, one line of at most 155 characters. Null or empty: none.',
    'How it began.',
  ],
} as const
const SHOWN_TEXTS = {
  seo_title: [z.string(), 'Title for search engines; empty if there is none.'],
  meta_desc: [z.string(), 'Description for search engines; empty if there is none.'],
} as const satisfies Record<keyof typeof WRITTEN_TEXTS, Member>

/** In a record that was written before there was such a text, it is empty. */
export const PostTexts = z.object(shapeLike(SHOWN_TEXTS, z._default(z.string(), '')))
export type PostTexts = z.output<typeof PostTexts>
export const NO_TEXTS: PostTexts = PostTexts.parse({})

const TITLE = ['One line of 1 to 255 characters.', 'First light'] as const

/** What an update takes: missing members stay unchanged. */
const CHANGED = {
  title: [z.optional(requiredLine(255)), ...TITLE],
  slug: [
    z.optional(SlugInput),
    `The part of the URL that names the post: 1 to 200 letters and digits of any script, with \`-\`, \`_\`, \`.\` or \`~\`
  between them. Unique among posts and pages. Empty: as if it were left out.`,
    'first-light',
  ],
  body: [
    z.optional(Text),
    'HTML. It is stored as given and comes back byte for byte. Sanitize it in the client if your editors are not trusted.',
    '<p>Hello.</p>',
  ],
  short_description: [
    z.optional(optionalWords(500)),
    'At most 500 characters, shown as the excerpt. Null or empty: the excerpt is the beginning of the body.',
    'How it began.',
  ],
  content_type: [
    z.optional(ContentType),
    'A `post`, listed by date under `/posts`, or a `page`, listed by title under `/pages`.',
  ],
  is_published: [Flag, 'True shows the post to readers, from `posted_at` on. False makes it a draft.'],
  posted_at: [
    z.optional(z.nullable(TimeInput)),
    `Publication date. Any ISO 8601 date, or date and time; UTC without an offset, midnight without a time. A published post with a future
  date is scheduled: readers see it from that second on. If the post is published, null becomes the current time.`,
    '2026-05-26T15:00:00Z',
  ],
  ...optional(WRITTEN_TEXTS),
  category_ids: [
    CategoryIds,
    'Ids of at most 12 categories, which must exist. They replace the present ones.',
    [1],
  ],
  featured_image: [
    z.optional(z.nullable(ImageInput)),
    'The image in up to four sizes, which replace the present ones. Null: no image.',
  ],
  author_id: [
    z.optional(wholeId),
    'Id of the user who is shown as the author. An erased user has no account any more.',
  ],
} as const

export const PostChange = members(CHANGED)
export type PostChange = z.infer<typeof PostChange>

/** A new post needs a title. */
export const PostInput = members({ ...CHANGED, title: [requiredLine(255), ...TITLE] })
export type PostInput = z.infer<typeof PostInput>

export const CategoryOfPost = members({
  id: [z.int(), 'Id of the category.'],
  name: [z.string(), 'Name of the category.'],
  slug: [z.string(), 'Slug of the category.'],
})
const PostAuthor = members({
  name: [z.string(), 'Name of the author, or "Deleted user" if the account was erased.'],
  avatar: [z.nullable(z.string()), 'Absolute URL of a picture; null if there is none.'],
})

const LISTED = {
  id: [z.int(), 'Numeric id.'],
  title: [z.string(), 'Title, as plain text.'],
  slug: [z.string(), 'The part of the URL that names the post, unique among posts and pages.'],
  excerpt: [
    z.string(),
    `The short description or, without one, at most 160 characters from the beginning of the text of the body, which
    ends with a whole word. Plain text.`,
  ],
  content_type: [ContentType, '`post` or `page`.'],
  featured_image: [
    Image,
    'URLs of the image by size, with only the sizes that are set. Empty without an image.',
  ],
  author: [PostAuthor, 'The author as shown to readers. Name and picture are at most a minute old.'],
  categories: [z.array(CategoryOfPost), 'Categories of the post, by name.'],
  reading_time: [
    z.int(),
    `Minutes that reading the body takes, rounded up, at least 1: 200 words a minute, or 500 characters of scripts
    without spaces.`,
  ],
  posted_at: [Time, 'When it was published, in UTC.'],
  updated_at: [Time, 'When the record was last changed, in UTC.'],
} as const
const BODY = {
  body: [z.string(), 'The body as HTML, byte for byte as it was written.'],
  ...SHOWN_TEXTS,
} as const

export const SinglePost = named('Post', members({ ...LISTED, ...BODY }))
export type SinglePost = z.infer<typeof SinglePost>

/** With `include=body` an item has all members of a single post. */
export const PostListItem = named(
  'PostListItem',
  members({ ...LISTED, ...optional(BODY, 'Only with `include=body`.') }),
)
export type PostListItem = z.infer<typeof PostListItem>

const STATUS = [
  z.enum(['draft', 'scheduled', 'published']),
  '`draft`; `scheduled`, if its date is in the future; or `published`, if readers see it now.',
] as const

const PREVIEWED = {
  ...LISTED,
  posted_at: [
    Time,
    'When it was or will be published, in UTC; for a draft without a date, when it was last changed.',
  ],
  ...BODY,
  status: STATUS,
} as const
export const PreviewedPost = named('PreviewedPost', members(PREVIEWED))
export type PreviewedPost = z.infer<typeof PreviewedPost>

const [SHORTEST, LONGEST, USUAL] = [60, 604_800, 3_600]
const wholeSeconds = z
  .int('Must be a whole number of seconds.')
  .check(
    z.minimum(SHORTEST, `Must be at least ${SHORTEST}.`),
    z.maximum(LONGEST, `Must be at most ${LONGEST}.`),
  )
export const PreviewInput = members({
  expires_in: [
    z._default(wholeSeconds, USUAL),
    `Seconds after which the token expires, ${SHORTEST} to ${LONGEST} (a week). By default ${USUAL}.`,
    86_400,
  ],
})
export const PreviewToken = members({
  token: [z.string(), 'The token, for the header `Preview-Token` and for nothing else.'],
  expires_at: [Time, 'When it expires, in UTC.'],
  url: [
    z.nullable(z.string()),
    'The address to open: the setting `site.preview_url`, filled in. Null if that is unset.',
  ],
})
export type PreviewToken = z.infer<typeof PreviewToken>

const FOR_ADMINS = {
  ...LISTED,
  posted_at: [z.nullable(Time), 'When it was or will be published, in UTC. Null for a draft without a date.'],
  ...SHOWN_TEXTS,
  is_published: [z.boolean(), 'False for a draft. True for a published or scheduled post.'],
  status: STATUS,
  short_description: [z.string(), 'The short description as it was written; empty if there is none.'],
  category_ids: [z.array(z.int()), 'Ids of its categories.'],
  author_id: [z.int(), 'Id of the user who is shown as the author. An erased user has no account any more.'],
  created_at: [Time, 'When the record was created, in UTC.'],
  version: [z.int(), 'Number of this version, from 1. Every change of the record adds 1.'],
} as const

export const AdminListItem = named('AdminPostListItem', members(FOR_ADMINS))
export type AdminListItem = z.infer<typeof AdminListItem>
export const AdminPost = named('AdminPost', members({ ...FOR_ADMINS, body: BODY.body }))
export type AdminPost = z.infer<typeof AdminPost>

export const ListOrder = z.enum(['newest', 'oldest'], 'Must be newest or oldest.')
export type ListOrder = z.infer<typeof ListOrder>
/** The parameter of lists that start at either end. */
export const ORDER = {
  order: [
    z._default(ListOrder, 'newest'),
    `\`newest\`, the default, or \`oldest\`: the same posts from the oldest on, so that no full page gets other
  items by a new post. Read from cursor to cursor, each that another page follows keeps its ETag, too.`,
  ],
} as const

const INCLUDED = Object.keys(SHOWN_TEXTS).map(name => `\`${name}\``)
/** The parameter of lists that can include bodies. */
export const INCLUDE = {
  include: [
    z.optional(z.enum(['body'], 'Only "body" can be included.')),
    `\`body\` adds \`body\`, ${INCLUDED.slice(0, -1).join(', ')} and ${INCLUDED.at(-1)} to each item, so that a static build pulls N
  posts in N/100 calls. An answer may have 5.9 MB: above that it is a 422 on \`per_page\` that says how many items fit.`,
  ],
} as const

const LEAST_SEARCHED = 2
const MOST_SEARCHED = 200

export const SearchText = z
  .pipe(
    z.string({ error: ({ input }) => (input === undefined ? 'Is required.' : 'Must be a string.') }),
    z.transform(text => text.trim()),
  )
  .check(
    z.refine(
      text => codePoints(text) >= LEAST_SEARCHED && codePoints(text) <= MOST_SEARCHED,
      `Must be ${LEAST_SEARCHED} to ${MOST_SEARCHED} characters.`,
    ),
    z.meta({ minLength: LEAST_SEARCHED, maxLength: MOST_SEARCHED, pattern: TWO_CHARACTERS_PATTERN }),
  )

export const SEARCH_TEXT = `Search text of 2 to 200 characters. Every word in it must begin a word of the title, the short
  description or the body. Case, diacritics, the vowel points of Arabic and Hebrew, forms of alef and nuktas do not count. \`C++\`,
  \`C#\`, \`2.0.1\` and \`R&D\` are words (send them encoded: \`C%2B%2B\`), other single characters are left out. In scripts without
  spaces any two neighbouring characters are a word. A search of more than ten words needs one that is in few posts, else it is a 422.`
