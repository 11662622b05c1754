// The steps of an export, each of which reads one kind of records by their ids.
import type * as z from 'zod/mini'
import { User } from '../../../../shared/accounts/user.ts'
import { listCachedCategories, listCategories } from '../../../../shared/categories/store.ts'
import { CommentContent, CommentState, parentOf } from '../../../../shared/comments/comment.ts'
import { Submission } from '../../../../shared/contact/submission.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { Subscriber } from '../../../../shared/newsletter/subscriber.ts'
import { Post } from '../../../../shared/posts/post.ts'
import { bodyTextOf, findPostWithBody } from '../../../../shared/posts/store/bodies.ts'
import { MenuInput } from '../../../../shared/site/menu.ts'
import { withoutNewer } from '../../../../shared/site/settings.ts'
import { listMenus } from '../../../../shared/site/store/menus.ts'
import { SettingsRecord } from '../../../../shared/site/store/settings.ts'
import type { Table } from '../../../../shared/table/client.ts'
import {
  bodyKey,
  commentKey,
  type Key,
  nameIn,
  newsletterKey,
  passwordKey,
  postKey,
  settingsKey,
  submissionKey,
  threadKey,
  userKey,
  webhookKey,
} from '../../../../shared/table/design.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { findTickets, listReplies } from '../../../../shared/tickets/store.ts'
import { listFanOutEntries } from '../../../../shared/webhooks/store/webhooks.ts'
import { WebhookRecord } from '../../../../shared/webhooks/webhook.ts'
import { type ExportedRecord, type RecordType, SHAPES } from '../format.ts'

export type ExportOptions = { withPasswords: boolean }

export type Step = {
  type: RecordType
  /** As progress shows it. */
  name: string
  /** The counter of the ids; undefined if all records are read at once. */
  counter?: Counter
  /** How many ids are read at once. */
  atOnce?: number
  /** The records with these ids, in order. Missing ones are left out. */
  read: (table: Table, ids: number[], options: ExportOptions) => Promise<object[]>
}

/** As a line of an export has it: the members that the format knows, with times as texts. */
export function exportedRecord(type: RecordType, record: object): ExportedRecord {
  const members = Object.keys(SHAPES.get(type) ?? {}).flatMap(name => {
    const value: unknown = name in record ? Reflect.get(record, name) : undefined
    if (value === undefined) return []
    const isTime = typeof value === 'number' && name.endsWith('_at')
    return [[name, isTime ? isoTime(value) : value]]
  })
  return { ...Object.fromEntries(members), type }
}

/** Finds items with their ids in any order, and returns the records in that of the ids. */
async function findRecords<T extends { id: number }>(
  table: Table,
  keys: Key[],
  schema: z.ZodMiniType<T>,
): Promise<T[]> {
  const items = await table.findMany(keys)
  return items.map(item => schema.parse(item)).sort((a, b) => a.id - b.id)
}

async function readSettings(table: Table) {
  const stored = await table.find(settingsKey, SettingsRecord)
  return stored ? [{ values: withoutNewer(stored.values) }] : []
}

async function readMenus(table: Table) {
  const menus = await listMenus(table)
  // Without the ids of links.
  return menus.map(({ location, items }) => ({ location, items: MenuInput.shape.items.parse(items) }))
}

async function readCategories(table: Table) {
  return (await listCategories(table)).sort((a, b) => a.id - b.id)
}

async function readUsers(table: Table, ids: number[], options: ExportOptions) {
  const [users, passwords] = await Promise.all([
    findRecords(table, ids.map(userKey), User),
    table.findMany(options.withPasswords ? ids.map(passwordKey) : []),
  ])
  const hashes = new Map(passwords.map(item => [Number(nameIn(item.pk)), String(item.hash)]))
  return users.map(({ ban, ...user }) => ({
    ...user,
    ban: ban && { reason: ban.reason, until: ban.until === null ? null : isoTime(ban.until) },
    password_hash: hashes.get(user.id),
  }))
}

/** Posts and pages with their bodies, each as one version of it. */
async function readPosts(table: Table, ids: number[]) {
  const [items, categories] = await Promise.all([
    table.findMany(ids.flatMap(id => [postKey(id), bodyKey(id)])),
    listCachedCategories(table),
  ])
  const existing = new Set(categories.map(({ id }) => id))
  const byId = Map.groupBy(items, ({ pk }) => Number(nameIn(pk)))
  const posts = await Promise.all(
    ids.map(async id => {
      const ofPost = byId.get(id) ?? []
      const record = ofPost.find(({ sk }) => sk === postKey(id).sk)
      if (!record) return []
      const post = Post.parse(record)
      const item = ofPost.find(({ sk }) => sk === bodyKey(id).sk)
      const body = await bodyTextOf(table, post, item)
      // The post was changed between the reads of its items.
      const current = body === undefined ? await findPostWithBody(table, id) : { post, body }
      return current ? [postOf(current.post, current.body, existing)] : []
    }),
  )
  return posts.flat()
}

/** Deleted categories stay in the record until the post is written the next time. */
function postOf(post: Post, body: string, existing: Set<number>) {
  const category_ids = post.category_ids.filter(id => existing.has(id))
  return { ...post, body, category_ids }
}

/** Leaves out comments that were deleted with their post or with a comment above them. */
async function readComments(table: Table, ids: number[]) {
  const contents = await findRecords(table, ids.map(commentKey), CommentContent)
  const keys = contents.flatMap(content => [postKey(content.post_id), ...pathKeys(content)])
  const items = await table.findMany([...new Map(keys.map(key => [textOf(key), key])).values()])
  const found = new Map(items.map(item => [textOf(item), item]))
  return contents.flatMap(content => {
    const needed = [postKey(content.post_id), ...pathKeys(content)].map(key => found.get(textOf(key)))
    const own = needed.at(-1)
    if (!own || needed.includes(undefined)) return []
    const { status } = CommentState.parse(own)
    return [{ ...content, parent_id: parentOf(content), status }]
  })
}

function pathKeys({ post_id, path }: CommentContent): Key[] {
  return path.map((_, n) => threadKey(post_id, path.slice(0, n + 1)))
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`
}

async function readTickets(table: Table, ids: number[]) {
  const tickets = await findTickets(table, ids)
  return tickets.map(({ ticket, description }) => ({ ...ticket, description }))
}

/** Of the tickets with these ids. */
async function readReplies(table: Table, ids: number[]) {
  const read = async (ticket_id: number) =>
    (await listReplies(table, ticket_id)).map(reply => ({ ...reply, ticket_id }))
  return (await Promise.all(ids.map(read))).flat()
}

function readSubscribers(table: Table, ids: number[]) {
  return findRecords(table, ids.map(newsletterKey), Subscriber)
}

function readSubmissions(table: Table, ids: number[]) {
  return findRecords(table, ids.map(submissionKey), Submission)
}

async function readWebhooks(table: Table) {
  const keys = (await listFanOutEntries(table)).map(({ owner_id, id }) => webhookKey(owner_id, id))
  const webhooks = await findRecords(table, keys, WebhookRecord)
  return webhooks.map(({ template, ...webhook }) => ({
    ...webhook,
    body: template === undefined ? undefined : JSON.parse(template),
  }))
}

/** Records come after those that they refer to. */
export const STEPS: Step[] = [
  { type: 'settings', name: 'settings', read: readSettings },
  { type: 'menu', name: 'menus', read: readMenus },
  { type: 'category', name: 'categories', read: readCategories },
  { type: 'user', name: 'users', counter: 'user', atOnce: 100, read: readUsers },
  { type: 'post', name: 'posts', counter: 'post', atOnce: 50, read: readPosts },
  { type: 'comment', name: 'comments', counter: 'comment', atOnce: 50, read: readComments },
  { type: 'ticket', name: 'tickets', counter: 'ticket', atOnce: 50, read: readTickets },
  { type: 'reply', name: 'replies to tickets', counter: 'ticket', atOnce: 50, read: readReplies },
  { type: 'subscriber', name: 'subscribers', counter: 'subscriber', atOnce: 100, read: readSubscribers },
  { type: 'submission', name: 'contact messages', counter: 'submission', atOnce: 100, read: readSubmissions },
  { type: 'webhook', name: 'subscriptions', read: readWebhooks },
]
