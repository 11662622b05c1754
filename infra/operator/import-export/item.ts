// What a source gives to an import: records of the export format, with keys of the source instead of ids.
import type * as z from 'zod/mini'
import type { Counter } from '../../../shared/table/kinds.ts'
import type {
  CategoryRecord,
  CommentRecord,
  MenuRecord,
  PostRecord,
  SettingsRecord,
  SubmissionRecord,
  SubscriberRecord,
  TicketRecord,
  UserRecord,
  WebhookRecord,
} from './format.ts'

type Members<Record extends z.ZodMiniType, Without extends string> = Omit<z.output<Record>, 'type' | Without>

/** Keys name other items of the same source, such as `user:7`. */
type Common = {
  key: string
  /** The id that it should keep. */
  id?: number | undefined
  /** As the report names it: a slug, an address. */
  label: string
  /** What of the source did not fit. */
  notes?: string[]
}

export type SettingsItem = Common & { kind: 'settings'; value: Members<typeof SettingsRecord, never> }
export type MenuItem = Common & { kind: 'menu'; value: Members<typeof MenuRecord, never> }
export type CategoryItem = Common & { kind: 'category'; value: Members<typeof CategoryRecord, 'id'> }
export type UserItem = Common & { kind: 'user'; value: Members<typeof UserRecord, 'id'> }
export type PostItem = Common & {
  kind: 'post'
  /** Null: the author that the command names. */
  author: string | null
  categories: string[]
  value: Members<typeof PostRecord, 'id' | 'author_id' | 'category_ids'>
}
export type CommentItem = Common & {
  kind: 'comment'
  post: string
  parent: string | null
  user: string | null
  value: Members<typeof CommentRecord, 'id' | 'post_id' | 'parent_id' | 'user_id'>
}
export type TicketItem = Common & {
  kind: 'ticket'
  user: string
  replies: { id: number; author: string; body: string; is_staff: boolean; created_at: number }[]
  value: Members<typeof TicketRecord, 'id' | 'user_id' | 'replies'>
}
export type SubscriberItem = Common & { kind: 'subscriber'; value: Members<typeof SubscriberRecord, 'id'> }
export type SubmissionItem = Common & { kind: 'submission'; value: Members<typeof SubmissionRecord, 'id'> }
export type WebhookItem = Common & {
  kind: 'webhook'
  owner: string
  value: Members<typeof WebhookRecord, 'id' | 'owner_id'>
}

export type Item =
  | SettingsItem
  | MenuItem
  | CategoryItem
  | UserItem
  | PostItem
  | CommentItem
  | TicketItem
  | SubscriberItem
  | SubmissionItem
  | WebhookItem

export type Kind = Item['kind']

/** A record of the source that cannot become an item. `isWrong`: it should have been able to. */
export type Unusable = { kind: string; label: string; problem: string; isWrong: boolean }

export type Source = {
  /** Names where the records come from, the same each time: with a key it names a record. */
  name: string
  /** For people. */
  label: string
  /** The id of the site, of an export of this service. */
  site?: string
  /** The largest ids that items should keep. */
  lastIds: Partial<Record<Counter, number>>
  /** For progress; undefined if it is not known. */
  count: number | undefined
  items: () => AsyncIterable<Item | Unusable>
}
