// The format of exports: JSON Lines, a header first, then a record a line, and a last line.
import * as z from 'zod/mini'
import { isPasswordHash } from '../../../shared/accounts/password.ts'
import { Status as CommentStatus } from '../../../shared/comments/contract.ts'
import { emailAddress } from '../../../shared/http/email.ts'
import { SLUG_PATTERN } from '../../../shared/http/patterns.ts'
import { optionalText, requiredLine, requiredText, Text } from '../../../shared/http/text.ts'
import { TimeInput } from '../../../shared/http/time.ts'
import { Status as SubscriberStatus } from '../../../shared/newsletter/contract.ts'
import { ContentType, Image } from '../../../shared/posts/fields.ts'
import { MenuItemInput } from '../../../shared/site/menu-input.ts'
import { SettingsChange } from '../../../shared/site/settings.ts'
import { isSlug, LONGEST_SLUG } from '../../../shared/slugs/slug.ts'
import { Priority, Status as TicketStatus } from '../../../shared/tickets/fields.ts'
import { WebhookInput } from '../../../shared/webhooks/contract.ts'

export const FORMAT = 'headless-content-service'
/** Raised when an older version could misread an export. New members do not raise it: they are ignored. */
export const FORMAT_VERSION = 1

/** A larger id is not kept, because a reindex reads every id up to the largest one. */
export const LARGEST_ID = 10_000_000

const Id = z.int('Must be a whole number.').check(z.positive('Must be at least 1.'))
const OptionalTime = z.nullable(TimeInput)
const Slug = Text.check(
  z.refine(isSlug, 'Is no valid slug.'),
  z.meta({ minLength: 1, maxLength: LONGEST_SLUG, pattern: SLUG_PATTERN }),
)

export const SettingsRecord = z.object({ type: z.literal('settings'), values: SettingsChange })

export const MenuRecord = z.object({
  type: z.literal('menu'),
  location: z.string().check(z.regex(/^[a-z0-9_-]{1,50}$/)),
  items: z.array(MenuItemInput),
})

export const CategoryRecord = z.object({
  type: z.literal('category'),
  id: Id,
  name: requiredLine(100),
  slug: Slug,
  description: optionalText(1000),
  version: z._default(Id, 1),
})

export const UserRecord = z.object({
  type: z.literal('user'),
  id: Id,
  name: requiredLine(255),
  email: emailAddress,
  email_verified: z.boolean(),
  avatar: z.nullable(Text),
  bio: z.nullable(Text),
  ban: z.nullable(z.object({ reason: z.nullable(Text), until: OptionalTime })),
  wants_newsletter: z.optional(z.boolean()),
  /** Only with `--with-passwords`. */
  password_hash: z.optional(Text.check(z.refine(isPasswordHash, 'Is no hash of a password.'))),
  created_at: TimeInput,
})

export const PostRecord = z.object({
  type: z.literal('post'),
  id: Id,
  content_type: ContentType,
  title: requiredLine(255),
  slug: Slug,
  body: Text,
  short_description: optionalText(500),
  /** Made from the body if they are missing. */
  excerpt: z.optional(optionalText(500)),
  reading_time: z.optional(Id),
  featured_image: Image,
  author_id: Id,
  category_ids: z.array(Id),
  seo_title: optionalText(60),
  meta_desc: optionalText(155),
  is_published: z.boolean(),
  posted_at: OptionalTime,
  created_at: TimeInput,
  updated_at: TimeInput,
  version: z._default(Id, 1),
})

export const CommentRecord = z.object({
  type: z.literal('comment'),
  id: Id,
  post_id: Id,
  parent_id: z.nullable(Id),
  user_id: z.nullable(Id),
  guest: z.nullable(z.object({ name: Text, email: Text })),
  body: requiredText(5_000),
  status: CommentStatus,
  created_at: TimeInput,
})

export const TicketRecord = z.object({
  type: z.literal('ticket'),
  id: Id,
  user_id: Id,
  subject: requiredLine(255),
  description: requiredText(10_000),
  priority: Priority,
  status: TicketStatus,
  created_at: TimeInput,
  updated_at: TimeInput,
  replies: z.array(
    z.object({
      id: Id,
      author_id: Id,
      body: requiredText(10_000),
      is_staff: z.boolean(),
      created_at: TimeInput,
    }),
  ),
})

export const SubscriberRecord = z.object({
  type: z.literal('subscriber'),
  id: Id,
  email: emailAddress,
  status: SubscriberStatus,
  subscribed_at: OptionalTime,
  unsubscribed_at: OptionalTime,
  mailed_at: z._default(OptionalTime, null),
  created_at: TimeInput,
})

export const SubmissionRecord = z.object({
  type: z.literal('submission'),
  id: Id,
  name: requiredLine(255),
  email: emailAddress,
  subject: z.nullable(Text),
  message: requiredText(10_000),
  created_at: TimeInput,
})

/** Without its secret. */
export const WebhookRecord = z.object({
  type: z.literal('webhook'),
  id: Id,
  owner_id: Id,
  ...WebhookInput.shape,
  is_active: z.boolean(),
  created_at: TimeInput,
})

export const Header = z.object({
  type: z.literal('header'),
  format: z.literal(FORMAT),
  version: Id,
  /** The version of the service. */
  service: z.string(),
  /** A random name of the site, by which an import recognises its own export. */
  site: z.string(),
  exported_at: TimeInput,
  /** The largest ids at the start of the export, by counter. */
  last_ids: z.record(z.string(), z.int()),
})

/** The last line: without it the file was cut off. */
export const End = z.object({ type: z.literal('end'), records: z.int() })

export const ExportRecord = z.discriminatedUnion('type', [
  SettingsRecord,
  MenuRecord,
  CategoryRecord,
  UserRecord,
  PostRecord,
  CommentRecord,
  TicketRecord,
  SubscriberRecord,
  SubmissionRecord,
  WebhookRecord,
])
export type ExportRecord = z.output<typeof ExportRecord>
/** As it is in a line: times are texts. */
export type ExportLine = z.input<typeof ExportRecord> | z.input<typeof Header> | z.input<typeof End>
