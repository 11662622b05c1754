// The steps of an export, each of which reads one kind of records by their ids.
import { User } from '../../../../shared/accounts/user.ts'
import { listCachedCategories, listCategories } from '../../../../shared/categories/store.ts'
import {
  type CommentContent,
  CommentState,
  CommentContent as Content,
  parentOf,
} from '../../../../shared/comments/comment.ts'
import { Submission } from '../../../../shared/contact/submission.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { Subscriber } from '../../../../shared/newsletter/subscriber.ts'
import { PostTexts } from '../../../../shared/posts/fields.ts'
import { Post } from '../../../../shared/posts/post.ts'
import { bodyTextOf, findPostWithBody } from '../../../../shared/posts/store/bodies.ts'
import type { MenuItem } from '../../../../shared/site/menu.ts'
import { withoutNewer } from '../../../../shared/site/settings.ts'
import { listMenus } from '../../../../shared/site/store/menus.ts'
import { SettingsRecord } from '../../../../shared/site/store/settings.ts'
import type { Table } from '../../../../shared/table/client.ts'
import {
  bodyKey,
  commentKey,
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
import type { Key } from '../../../../shared/table/key.ts'
import type { Counter } from '../../../../shared/table/kinds.ts'
import { findTickets, listReplies } from '../../../../shared/tickets/store.ts'
import { listFanOutEntries } from '../../../../shared/webhooks/store/webhooks.ts'
import { WebhookRecord } from '../../../../shared/webhooks/webhook.ts'
import type { RecordLine, RecordType } from '../format.ts'

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
  read: (table: Table, ids: number[], options: ExportOptions) => Promise<RecordLine[]>
}

function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds)
}

async function readSettingsLine(table: Table): Promise<RecordLine[]> {
  const stored = await table.find(settingsKey, SettingsRecord)
  return stored ? [{ type: 'settings', values: withoutNewer(stored.values) }] : []
}

async function readMenus(table: Table): Promise<RecordLine[]> {
  const menus = await listMenus(table)
  return menus.map(({ location, items }) => ({ type: 'menu', location, items: items.map(linkOf) }))
}

type Link = { label: string; url: string; target: MenuItem['target']; children: Link[] }

function linkOf({ label, url, target, children }: MenuItem): Link {
  return { label, url, target, children: children.map(linkOf) }
}

async function readCategories(table: Table): Promise<RecordLine[]> {
  const categories = (await listCategories(table)).sort((a, b) => a.id - b.id)
  return categories.map(({ id, name, slug, description, version }) => ({
    type: 'category',
    id,
    name,
    slug,
    description,
    version,
  }))
}

async function readUsers(table: Table, ids: number[], options: ExportOptions): Promise<RecordLine[]> {
  const [users, hashes] = await Promise.all([
    table.findMany(ids.map(userKey)),
    options.withPasswords ? findHashes(table, ids) : new Map<number, string>(),
  ])
  return users
    .map(item => User.parse(item))
    .sort((a, b) => a.id - b.id)
    .map(user => userLine(user, hashes.get(user.id)))
}

async function findHashes(table: Table, ids: number[]): Promise<Map<number, string>> {
  const items = await table.findMany(ids.map(passwordKey))
  return new Map(items.map(item => [Number(nameIn(item.pk)), String(item.hash)]))
}

function userLine(user: User, password_hash: string | undefined): RecordLine {
  const { id, name, email, email_verified, avatar, bio, ban, wants_newsletter, created_at } = user
  return {
    type: 'user',
    id,
    name,
    email,
    email_verified,
    avatar,
    bio,
    ban: ban && { reason: ban.reason, until: timeOf(ban.until) },
    ...(wants_newsletter !== undefined && { wants_newsletter }),
    ...(password_hash !== undefined && { password_hash }),
    created_at: isoTime(created_at),
  }
}

/** Posts and pages with their bodies, each as one version of it. */
async function readPosts(table: Table, ids: number[]): Promise<RecordLine[]> {
  const [items, categories] = await Promise.all([
    table.findMany(ids.flatMap(id => [postKey(id), bodyKey(id)])),
    listCachedCategories(table),
  ])
  const existing = new Set(categories.map(({ id }) => id))
  const byId = Map.groupBy(items, ({ pk }) => Number(nameIn(pk)))
  const lines = await Promise.all(
    ids.map(async id => {
      const ofPost = byId.get(id) ?? []
      const record = ofPost.find(({ sk }) => sk === postKey(id).sk)
      if (!record) return []
      const post = Post.parse(record)
      const item = ofPost.find(({ sk }) => sk === bodyKey(id).sk)
      const body = await bodyTextOf(table, post, item)
      // The post was changed between the reads of its items.
      const current = body === undefined ? await findPostWithBody(table, id) : { post, body }
      return current ? [postLine(current.post, current.body, existing)] : []
    }),
  )
  return lines.flat()
}

/** Deleted categories stay in the record until the post is written the next time. */
function postLine(post: Post, body: string, existing: Set<number>): RecordLine {
  return {
    type: 'post',
    id: post.id,
    content_type: post.content_type,
    title: post.title,
    slug: post.slug,
    body,
    short_description: post.short_description,
    featured_image: post.featured_image,
    author_id: post.author_id,
    category_ids: post.category_ids.filter(id => existing.has(id)),
    ...PostTexts.parse(post),
    is_published: post.is_published,
    posted_at: timeOf(post.posted_at),
    created_at: isoTime(post.created_at),
    updated_at: isoTime(post.updated_at),
    version: post.version,
  }
}

/** Leaves out comments that were deleted with their post or with a comment above them. */
async function readComments(table: Table, ids: number[]): Promise<RecordLine[]> {
  const contents = (await table.findMany(ids.map(commentKey)))
    .map(item => Content.parse(item))
    .sort((a, b) => a.id - b.id)
  const keys = contents.flatMap(content => [postKey(content.post_id), ...pathKeys(content)])
  const items = await table.findMany([...new Map(keys.map(key => [textOf(key), key])).values()])
  const found = new Map(items.map(item => [textOf(item), item]))
  return contents.flatMap(content => {
    const needed = [postKey(content.post_id), ...pathKeys(content)].map(key => found.get(textOf(key)))
    const own = needed.at(-1)
    return own && needed.every(item => item) ? [commentLine(content, CommentState.parse(own))] : []
  })
}

function pathKeys({ post_id, path }: CommentContent): Key[] {
  return path.map((_, n) => threadKey(post_id, path.slice(0, n + 1)))
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`
}

function commentLine(content: CommentContent, { status }: CommentState): RecordLine {
  const { id, post_id, user_id, guest, body, created_at } = content
  const parent_id = parentOf(content)
  return {
    type: 'comment',
    id,
    post_id,
    parent_id,
    user_id,
    guest,
    body,
    status,
    created_at: isoTime(created_at),
  }
}

async function readTickets(table: Table, ids: number[]): Promise<RecordLine[]> {
  const tickets = await findTickets(table, ids)
  return await Promise.all(
    tickets.map(async ({ ticket, description }): Promise<RecordLine> => {
      const { id, user_id, subject, priority, status, created_at, updated_at } = ticket
      const replies = await listReplies(table, id)
      return {
        type: 'ticket',
        id,
        user_id,
        subject,
        description,
        priority,
        status,
        created_at: isoTime(created_at),
        updated_at: isoTime(updated_at),
        replies: replies.map(reply => ({ ...reply, created_at: isoTime(reply.created_at) })),
      }
    }),
  )
}

async function readSubscribers(table: Table, ids: number[]): Promise<RecordLine[]> {
  const subscribers = (await table.findMany(ids.map(newsletterKey))).map(item => Subscriber.parse(item))
  return subscribers
    .sort((a, b) => a.id - b.id)
    .map(({ id, email, status, subscribed_at, unsubscribed_at, mailed_at, created_at }) => ({
      type: 'subscriber',
      id,
      email,
      status,
      subscribed_at: timeOf(subscribed_at),
      unsubscribed_at: timeOf(unsubscribed_at),
      mailed_at: timeOf(mailed_at),
      created_at: isoTime(created_at),
    }))
}

async function readSubmissions(table: Table, ids: number[]): Promise<RecordLine[]> {
  const submissions = (await table.findMany(ids.map(submissionKey))).map(item => Submission.parse(item))
  return submissions
    .sort((a, b) => a.id - b.id)
    .map(({ created_at, ...members }) => ({
      type: 'submission',
      ...members,
      created_at: isoTime(created_at),
    }))
}

async function readWebhooks(table: Table): Promise<RecordLine[]> {
  const keys = (await listFanOutEntries(table)).map(({ owner_id, id }) => webhookKey(owner_id, id))
  const webhooks = (await table.findMany(keys)).map(item => WebhookRecord.parse(item))
  return webhooks
    .sort((a, b) => a.id - b.id)
    .map(({ id, owner_id, name, url, events, is_active, created_at }) => ({
      type: 'webhook',
      id,
      owner_id,
      name,
      url,
      events,
      is_active,
      created_at: isoTime(created_at),
    }))
}

/** Records come after those that they refer to. */
export const STEPS: Step[] = [
  { type: 'settings', name: 'settings', read: readSettingsLine },
  { type: 'menu', name: 'menus', read: readMenus },
  { type: 'category', name: 'categories', read: readCategories },
  { type: 'user', name: 'users', counter: 'user', atOnce: 100, read: readUsers },
  { type: 'post', name: 'posts', counter: 'post', atOnce: 50, read: readPosts },
  { type: 'comment', name: 'comments', counter: 'comment', atOnce: 50, read: readComments },
  { type: 'ticket', name: 'tickets', counter: 'ticket', atOnce: 50, read: readTickets },
  { type: 'subscriber', name: 'subscribers', counter: 'subscriber', atOnce: 100, read: readSubscribers },
  { type: 'submission', name: 'contact messages', counter: 'submission', atOnce: 100, read: readSubmissions },
  { type: 'webhook', name: 'subscriptions', read: readWebhooks },
]
