// Descriptions of the members of posts and pages.
import { type Description, describes } from '../../http/descriptions.ts'
import {
  AdminListItem,
  AdminPost,
  CategoryOfPost,
  Image,
  ImageInput,
  PostChange,
  PostInput,
  PostListItem,
  SinglePost,
} from '../fields.ts'

const KINDS = 'A `post`, listed by date under `/posts`, or a `page`, listed by title under `/pages`.'
const SLUG = `The part of the URL that names the post: 1 to 200 letters and digits of any script, with \`-\`, \`_\`, \`.\` or \`~\`
  between them. Unique among posts and pages.`
const HTML = `HTML. It is stored as given and comes back byte for byte. Sanitize it in the client if your editors are not trusted.`
const DATE = `Any ISO 8601 date, or date and time; UTC without an offset, midnight without a time. A published post with a future
  date is scheduled: readers see it from that second on. If the post is published, null becomes the current time.`

/** What an update takes. */
const CHANGED = {
  title: ['One line of 1 to 255 characters.', 'First light'],
  slug: [`${SLUG} Empty: unchanged.`, 'first-light'],
  body: [HTML, '<p>Hello.</p>'],
  short_description: [
    'At most 500 characters, shown as the excerpt. Null or empty: the excerpt is the beginning of the body.',
    'How it began.',
  ],
  content_type: KINDS,
  is_published: 'True shows the post to readers, from `posted_at` on. False makes it a draft.',
  posted_at: [`Publication date. ${DATE}`, '2026-05-26T15:00:00Z'],
  seo_title: [
    'Title for search engines, one line of at most 60 characters. Null or empty: none.',
    'First light',
  ],
  meta_desc: [
    'Description for search engines, one line of at most 155 characters. Null or empty: none.',
    'How it began.',
  ],
  category_ids: ['Ids of at most 12 categories, which must exist. They replace the present ones.', [1]],
  featured_image: 'The image in up to four sizes, which replace the present ones. Null: no image.',
  author_id: 'Id of the user who is shown as the author. An erased user has no account any more.',
} as const

/** What a new post takes: the same, with defaults. */
const WRITTEN = {
  ...CHANGED,
  slug: [`${SLUG} Left out or empty: derived from the title.`, 'first-light'],
  body: [`${HTML} By default empty.`, '<p>Hello.</p>'],
  content_type: `${KINDS} By default \`post\`.`,
  is_published: 'True shows the post to readers, from `posted_at` on. False, the default, keeps it a draft.',
  posted_at: [`Publication date, null by default. ${DATE}`, '2026-05-26T15:00:00Z'],
  category_ids: ['Ids of at most 12 categories, which must exist. By default none.', [1]],
  featured_image: 'The image in up to four sizes. Null, the default: no image.',
  author_id: 'Id of the user who is shown as the author. By default the caller.',
} as const

const LISTED = {
  id: 'Numeric id.',
  title: 'Title, as plain text.',
  slug: 'The part of the URL that names the post, unique among posts and pages.',
  excerpt: `The short description or, without one, at most 160 characters from the beginning of the text of the body, which
    ends with a whole word. Plain text.`,
  content_type: '`post` or `page`.',
  featured_image: 'URLs of the image by size, with only the sizes that are set. Empty without an image.',
  author: 'The author as shown to readers. Name and picture are at most a minute old.',
  categories: 'Categories of the post, by name.',
  reading_time: `Minutes that reading the body takes, rounded up, at least 1: 200 words a minute, or 500 characters of scripts
    without spaces.`,
  posted_at: 'When it was published, in UTC.',
  updated_at: 'When the record was last changed, in UTC.',
} as const

const WITH_BODY = {
  body: 'The body as HTML, byte for byte as it was written.',
  seo_title: 'Title for search engines; empty if there is none.',
  meta_desc: 'Description for search engines; empty if there is none.',
} as const

const FOR_ADMINS = {
  ...LISTED,
  posted_at: 'When it was or will be published, in UTC. Null for a draft without a date.',
  seo_title: WITH_BODY.seo_title,
  meta_desc: WITH_BODY.meta_desc,
  is_published: 'False for a draft. True for a published or scheduled post.',
  status: '`draft`; `scheduled`, if its date is in the future; or `published`, if readers see it now.',
  short_description: 'The short description as it was written; empty if there is none.',
  category_ids: 'Ids of its categories.',
  author_id: 'Id of the user who is shown as the author. An erased user has no account any more.',
  created_at: 'When the record was created, in UTC.',
  version: 'Number of this version, from 1. Every change of the record adds 1.',
} as const

const IMAGE = {
  thumbnail: 'Absolute URL of the smallest size.',
  medium: 'Absolute URL of the medium size.',
  large: 'Absolute URL of the large size.',
  original: 'Absolute URL of the original.',
} as const

export const POST_MEMBERS: Description[] = [
  describes(PostInput, WRITTEN),
  describes(PostChange, CHANGED),
  describes(ImageInput, IMAGE),
  describes(Image, IMAGE),
  describes(CategoryOfPost, {
    id: 'Id of the category.',
    name: 'Name of the category.',
    slug: 'Slug of the category.',
  }),
  describes(SinglePost.shape.author, {
    name: 'Name of the author, or "Deleted user" if the account was erased.',
    avatar: 'Absolute URL of a picture; null if there is none.',
  }),
  describes(SinglePost, { ...LISTED, ...WITH_BODY }),
  describes(PostListItem, {
    ...LISTED,
    body: `${WITH_BODY.body} Only with \`include=body\`.`,
    seo_title: `${WITH_BODY.seo_title} Only with \`include=body\`.`,
    meta_desc: `${WITH_BODY.meta_desc} Only with \`include=body\`.`,
  }),
  describes(AdminListItem, FOR_ADMINS),
  describes(AdminPost, { ...FOR_ADMINS, body: WITH_BODY.body }),
]
