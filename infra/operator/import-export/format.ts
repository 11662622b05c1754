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
import { isoTime, TimeInput } from '../../../shared/http/time.ts'
import { LARGEST_BODY_BYTES } from '../../../shared/lambda/input.ts'
import { Status as SubscriberStatus } from '../../../shared/newsletter/contract.ts'
import { ImageInput, PostInput, WRITTEN_TEXTS } from '../../../shared/posts/fields.ts'
import { adminSite } from '../../../shared/site/contract.ts'
import { MenuInput } from '../../../shared/site/menu.ts'
import { SettingsChange } from '../../../shared/site/settings.ts'
import { SlugInput } from '../../../shared/slugs/slug.ts'
import {
  Priority,
  ReplyInput,
  TicketInput,
  Status as TicketStatus,
} from '../../../shared/tickets/contract.ts'
import { WebhookInput } from '../../../shared/webhooks/inputs.ts'

export const FORMAT = 'headless-content-service'
/** Raised when an older version could misread an export. New members do not raise it: they are ignored. */
export const FORMAT_VERSION = 1

const Id = z.int('Must be a whole number.').check(z.positive('Must be at least 1.'))
/** Each change raises it, so a record with the largest number could never be changed. */
const Version = Id.check(z.lte(1_000_000_000, 'Must be at most 1000000000.'))
const OptionalTime = z.nullable(TimeInput)
const Slug = SlugInput.check(
  z.refine(slug => slug !== '', 'Is required.'),
  z.meta({ minLength: 1 }),
)
const Body = Text.check(
  z.refine(
    body => Buffer.byteLength(JSON.stringify({ body })) <= LARGEST_BODY_BYTES,
    'Is larger than the 2 MiB of a request.',
  ),
)

function record<Type extends string>(type: Type) {
  return { type: z.literal(type), id: Id }
}

const SettingsRecord = z.object({ type: z.literal('settings'), values: SettingsChange })

const MenuRecord = z.object({
  type: z.literal('menu'),
  location: adminSite.putMenu.params.shape.location,
  items: MenuInput.shape.items,
})

const CategoryRecord = z.object({
  ...record('category'),
  ...CategoryInput.shape,
  slug: Slug,
  version: z._default(Version, 1),
})

const { name, bio, avatar } = z.required(ProfileChange).shape

const UserRecord = z.object({
  ...record('user'),
  name,
  email: emailAddress,
  email_verified: z.boolean(),
  avatar,
  bio,
  ban: z.nullable(BanInput),
  wants_newsletter: z.optional(z.boolean()),
  /** Only with `--with-passwords`. */
  password_hash: z.optional(Text.check(z.refine(isPasswordHash, 'Is no hash of a password.'))),
  created_at: TimeInput,
})

const PostRecord = z.object({
  ...record('post'),
  ...z.required(PostInput).shape,
  slug: Slug,
  body: Body,
  featured_image: ImageInput,
  /** Optional, since an export may be older than one of them. */
  ...shapeOf(optional(WRITTEN_TEXTS)),
  created_at: TimeInput,
  updated_at: TimeInput,
  version: z._default(Version, 1),
})

const CommentRecord = z.object({
  ...record('comment'),
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
  ...record('ticket'),
  user_id: Id,
  ...TicketInput.shape,
  priority: Priority,
  status: TicketStatus,
  created_at: TimeInput,
  updated_at: TimeInput,
})

const ReplyRecord = z.object({
  ...record('reply'),
  ticket_id: Id,
  author_id: Id,
  ...ReplyInput.shape,
  is_staff: z.boolean(),
  created_at: TimeInput,
})

const SubscriberRecord = z.object({
  ...record('subscriber'),
  email: emailAddress,
  status: SubscriberStatus,
  subscribed_at: OptionalTime,
  unsubscribed_at: OptionalTime,
  mailed_at: z._default(OptionalTime, null),
  created_at: TimeInput,
})

const SubmissionRecord = z.object({
  ...record('submission'),
  ...SubmissionInput.shape,
  created_at: TimeInput,
})

/** Without its secret, and with the names of its headers alone: their values are secret. */
const WebhookRecord = z.object({
  ...record('webhook'),
  owner_id: Id,
  ...WebhookInput.shape,
  headers: z.optional(z.array(Text)),
  is_active: z.boolean(),
  created_at: TimeInput,
})

export const Header = z.object({
  type: z.literal('header'),
  format: z.literal(FORMAT),
  version: Id,
  /** A random name of the site, by which an import recognises its own export. */
  site: z.string(),
  exported_at: TimeInput,
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

/** Records that have no id in their source get ids from here on. */
export const NO_ID = 2 ** 52
/** A reference that leads nowhere: no record has this id. */
export const NOWHERE = Number.MAX_SAFE_INTEGER

/** As a line of an export has it: the members that the format knows, with times as texts. */
export function exportedRecord(type: RecordType, record: object): ExportedRecord {
  const stored = new Map<string, unknown>(Object.entries(record))
  const members = Object.keys(SHAPES.get(type) ?? {}).map(name => {
    const value = stored.get(name)
    return [name, typeof value === 'number' && name.endsWith('_at') ? isoTime(value) : value]
  })
  return { ...Object.fromEntries(members), type }
}

/** As the report names the kind of a record. */
export function kindOf(record: ExportRecord | RecordLine): string {
  return record.type === 'post' ? record.content_type : record.type
}

/** As an export names a record. */
export function keyOf(record: { type: RecordType }): string {
  const { type, id, location = '' }: Record<string, unknown> = { ...record }
  return `${type}:${id ?? location}`
}

/** The first one that a record has is its label: accounts have an address and a name. */
const NAMES = ['slug', 'email', 'location', 'subject', 'name']

/** As the report names a record. */
export function labelOf(record: object): string {
  const { type, id, ...members }: Record<string, unknown> = { ...record }
  const name = NAMES.map(name => members[name]).find(value => typeof value === 'string')
  return String(name ?? (id === undefined ? type : `${type} ${id}`))
}

/** A digest of all that a source says about a record. */
export function digestOf(said: unknown): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32)
}

/** The JSON Schema of a line. A reader ignores members that it does not know. */
export function exportSchema(): Record<string, unknown> {
  const lines = z.union([Header, ExportRecord, End])
  const schema = z.toJSONSchema(lines, { io: 'input', unrepresentable: 'any' })
  return { ...schema, title: `One line of an export, version ${FORMAT_VERSION}` }
}
