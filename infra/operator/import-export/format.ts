// The format of exports: JSON Lines, a header first, then a record a line, and a last line. An import takes
// what the API takes, so the members have the schemas of its requests.
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { BanInput } from '../../../shared/accounts/admin-contract.ts'
import { ProfileChange } from '../../../shared/accounts/fields.ts'
import { isPasswordHash } from '../../../shared/accounts/password.ts'
import { CategoryInput } from '../../../shared/categories/contract.ts'
import { Status as CommentStatus, GuestComment } from '../../../shared/comments/contract.ts'
import { SubmissionInput } from '../../../shared/contact/contract.ts'
import { emailAddress } from '../../../shared/http/email.ts'
import { optional, shapeOf } from '../../../shared/http/members.ts'
import { Text } from '../../../shared/http/text.ts'
import { TimeInput } from '../../../shared/http/time.ts'
import { LARGEST_BODY_BYTES } from '../../../shared/lambda/input.ts'
import { Status as SubscriberStatus } from '../../../shared/newsletter/contract.ts'
import { ContentType, ImageInput, PostInput, WRITTEN_TEXTS } from '../../../shared/posts/fields.ts'
import { adminSite } from '../../../shared/site/contract.ts'
import { MenuInput } from '../../../shared/site/menu.ts'
import { SettingsChange } from '../../../shared/site/settings.ts'
import { SlugInput } from '../../../shared/slugs/slug.ts'
import { Priority, ReplyInput, TicketInput, Status as TicketStatus } from '../../../shared/tickets/fields.ts'
import { WebhookInput } from '../../../shared/webhooks/inputs.ts'

export const FORMAT = 'headless-content-service'
/** Raised when an older version could misread an export. New members do not raise it: they are ignored. */
export const FORMAT_VERSION = 1

/** A larger id is not kept, because a rebuild of the index reads every id up to the largest one. */
export const LARGEST_ID = 10_000_000

/** Of a request, for the members besides the body. */
const ROOM_FOR_NAMES = 100

const Id = z.int('Must be a whole number.').check(z.positive('Must be at least 1.'))
const OptionalTime = z.nullable(TimeInput)
const Slug = SlugInput.check(
  z.refine(slug => slug !== '', 'Is required.'),
  z.meta({ minLength: 1 }),
)
const Body = Text.check(
  z.refine(
    text => Buffer.byteLength(JSON.stringify(text)) <= LARGEST_BODY_BYTES - ROOM_FOR_NAMES,
    'Is larger than the 2 MiB of a request.',
  ),
)

const SettingsRecord = z.object({ type: z.literal('settings'), values: SettingsChange })

const MenuRecord = z.object({
  type: z.literal('menu'),
  location: adminSite.putMenu.params.shape.location,
  items: MenuInput.shape.items,
})

const CategoryRecord = z.object({
  type: z.literal('category'),
  id: Id,
  ...CategoryInput.shape,
  slug: Slug,
  version: z._default(Id, 1),
})

const UserRecord = z.object({
  type: z.literal('user'),
  id: Id,
  ...z.required(ProfileChange).shape,
  email: emailAddress,
  email_verified: z.boolean(),
  ban: z.nullable(BanInput),
  wants_newsletter: z.optional(z.boolean()),
  /** Only with `--with-passwords`. */
  password_hash: z.optional(Text.check(z.refine(isPasswordHash, 'Is no hash of a password.'))),
  created_at: TimeInput,
})

const { title, short_description, category_ids } = z.required(PostInput).shape

const PostRecord = z.object({
  type: z.literal('post'),
  id: Id,
  content_type: ContentType,
  title,
  slug: Slug,
  body: Body,
  short_description,
  featured_image: ImageInput,
  author_id: Id,
  category_ids,
  /** Optional, since an export may be older than one of them. */
  ...shapeOf(optional(WRITTEN_TEXTS)),
  is_published: z.boolean(),
  posted_at: OptionalTime,
  created_at: TimeInput,
  updated_at: TimeInput,
  version: z._default(Id, 1),
})

const CommentRecord = z.object({
  type: z.literal('comment'),
  id: Id,
  post_id: Id,
  parent_id: z.nullable(Id),
  user_id: z.nullable(Id),
  /** A guest who was erased has no address, and some systems do not ask for one. */
  guest: z.nullable(
    z.object({
      name: GuestComment.shape.author_name,
      email: z.union([z.literal(''), GuestComment.shape.author_email]),
    }),
  ),
  body: GuestComment.shape.body,
  status: CommentStatus,
  created_at: TimeInput,
})

const TicketRecord = z.object({
  type: z.literal('ticket'),
  id: Id,
  user_id: Id,
  ...TicketInput.shape,
  priority: Priority,
  status: TicketStatus,
  created_at: TimeInput,
  updated_at: TimeInput,
})

const ReplyRecord = z.object({
  type: z.literal('reply'),
  id: Id,
  ticket_id: Id,
  author_id: Id,
  ...ReplyInput.shape,
  is_staff: z.boolean(),
  created_at: TimeInput,
})

const SubscriberRecord = z.object({
  type: z.literal('subscriber'),
  id: Id,
  email: emailAddress,
  status: SubscriberStatus,
  subscribed_at: OptionalTime,
  unsubscribed_at: OptionalTime,
  mailed_at: z._default(OptionalTime, null),
  created_at: TimeInput,
})

const SubmissionRecord = z.object({
  type: z.literal('submission'),
  id: Id,
  ...SubmissionInput.shape,
  created_at: TimeInput,
})

/** Without its secret. */
const WebhookRecord = z.object({
  type: z.literal('webhook'),
  id: Id,
  owner_id: Id,
  ...z.omit(WebhookInput, { headers: true }).shape,
  /** The names alone: the values are secret. */
  headers: z.optional(z.array(Text)),
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
  ReplyRecord,
  SubscriberRecord,
  SubmissionRecord,
  WebhookRecord,
])
/** A record with times in epoch seconds. */
export type ExportRecord = z.output<typeof ExportRecord>
export type RecordType = ExportRecord['type']
export type RecordOf<Type extends RecordType> = Extract<ExportRecord, { type: Type }>
/** As it is in a line: times are texts. */
export type RecordLine = z.input<typeof ExportRecord>
/** As an export writes it. */
export type ExportedRecord = { type: RecordType; [member: string]: unknown }

/** The members of a record by its type, in their order. */
export const SHAPES = new Map<unknown, object>(
  ExportRecord.def.options.map(({ shape }) => [shape.type.def.values[0], shape]),
)

/** From here on are the ids of records that have none in their source. */
export const NO_ID = 2 ** 52
/** A reference that leads nowhere: no record has this id. */
export const NOWHERE = Number.MAX_SAFE_INTEGER

/** As the report names the kind of a record. */
export function kindOf(record: ExportRecord | RecordLine): string {
  return record.type === 'post' ? record.content_type : record.type
}

/** In this order: accounts have a name as well. */
const NAMES = ['slug', 'email', 'location', 'subject', 'name']

/** As the report names a record. */
export function labelOf(record: object): string {
  const { type, id, ...members }: Record<string, unknown> = { ...record }
  const name = NAMES.map(name => members[name]).find(value => typeof value === 'string')
  return String(name ?? (id === undefined ? type : `${type} ${id}`))
}

/** Of all that a source says about a record. */
export function digestOf(said: unknown): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32)
}

/** The JSON Schema of a line. */
export function exportSchema(): Record<string, unknown> {
  const json = z.toJSONSchema(z.union([Header, ExportRecord, End]), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // A reader must ignore members that it does not know: a later version may have more.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `One line of an export, version ${FORMAT_VERSION}`,
    ...JSON.parse(JSON.stringify(json)),
  }
}
