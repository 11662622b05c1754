// All types of records: what the service writes together with each, in its lists, locks and rows.
import { creationActions } from '../../shared/accounts/commands/users.ts'
import { listsOfUsers, User, listEntriesOf as userEntries } from '../../shared/accounts/user.ts'
import { CategoryRecord } from '../../shared/categories/category.ts'
import { lockSlug } from '../../shared/categories/commands.ts'
import { cleanUpComments } from '../../shared/comments/commands.ts'
import {
  CommentEntry,
  CommentState,
  listEntriesOf as commentEntries,
  listsOfComments,
} from '../../shared/comments/comment.ts'
import { listEntryOf, listsOfSubmissions, Submission } from '../../shared/contact/submission.ts'
import { countsOf, wantedCopies } from '../../shared/events/wanted.ts'
import { isoTime } from '../../shared/http/time.ts'
import { lockEmail } from '../../shared/newsletter/commands.ts'
import {
  listsOfSubscribers,
  Subscriber,
  listEntriesOf as subscriberEntries,
} from '../../shared/newsletter/subscriber.ts'
import { isCountedAsPublic, scheduledActions, slugActions } from '../../shared/posts/commands/commit.ts'
import { textOf } from '../../shared/posts/html-text.ts'
import { categoryList, listsOfPosts, listEntriesOf as postEntries } from '../../shared/posts/lists.ts'
import { Post } from '../../shared/posts/post.ts'
import { bodyTextOf } from '../../shared/posts/store/bodies.ts'
import { awaitsAnnouncement } from '../../shared/search/document.ts'
import { dueActions } from '../../shared/search/index-actions.ts'
import type { Table } from '../../shared/table/client.ts'
import {
  authorKey,
  bodyKey,
  categoryKey,
  categoryTotalsKey,
  commentKey,
  descriptionKey,
  dueDocKey,
  dueIdIn,
  dueMarkerKey,
  type Item,
  type Key,
  nameIn,
  newsletterKey,
  postKey,
  REPLY_PREFIX,
  sortable,
  submissionKey,
  threadKey,
  ticketKey,
  userKey,
  webhookKey,
  webhooksOwnedKey,
} from '../../shared/table/design.ts'
import { isBusy } from '../../shared/table/retrying.ts'
import { listsOfTickets, Ticket, listEntriesOf as ticketEntries } from '../../shared/tickets/ticket.ts'
import { putFanOutEntry, removeWebhook } from '../../shared/webhooks/commands/webhooks.ts'
import { WebhookRecord, wantedBy } from '../../shared/webhooks/webhook.ts'
import { unitOfWorkOf } from './command.ts'
import {
  byListedId,
  byMember,
  byPartition,
  type Dependent,
  keyById,
  putBy,
  type RecordType,
  recordType,
} from './record-type.ts'

/** What searches read of a scheduled post from its second on. */
async function dueItems(table: Table, post: Post & { posted_at: number }): Promise<Dependent[]> {
  const [item] = await table.findMany([bodyKey(post.id)])
  const body = await bodyTextOf(table, post, item).catch(error => {
    if (isBusy(error)) throw error
    return undefined
  })
  if (body !== undefined) {
    return putBy(await dueActions({ before: null, after: post, text: () => textOf(body) }))
  }
  // Nothing can be said without the body, which is reported by itself.
  const stored = await table.findMany([dueDocKey(post.id), dueMarkerKey(post.posted_at, post.id)])
  return stored.map(item => ({ item }))
}

export const posts = recordType({
  name: 'post',
  kind: 'POST',
  sk: 'POST',
  schema: Post,
  versionAttributes: ['revision'],
  listEntriesOf: postEntries,
  lists: listsOfPosts(),
  entryOwner: byListedId(postKey),
  dependentsOf: async (post, table) => [
    ...putBy([...slugActions(null, post), ...scheduledActions(null, post)]),
    { item: { ...bodyKey(post.id), version: post.body_version }, isIrreplaceable: true },
    ...(awaitsAnnouncement(post) ? await dueItems(table, post) : []),
  ],
  countsOf: post => (isCountedAsPublic(post) ? [{ ...authorKey(post.author_id), public_posts: 1 }] : []),
  dependents: {
    POST: { name: 'body', owner: byPartition(postKey), compared: ['version'] },
    SLUG: { name: 'slug lock', owner: byMember('id', postKey) },
    SCHEDULED: { name: 'row among the scheduled posts', owner: byMember('id', postKey) },
    DOC: {
      name: 'document for searches from its time on',
      owner: ({ pk, sk }) => (sk === dueDocKey(0).sk ? keyById(Number(nameIn(pk)), postKey) : undefined),
      compared: ['digest'],
    },
    INDEX: {
      name: 'marker for searches from its time on',
      owner: ({ sk }) => keyById(dueIdIn(sk), postKey),
      compared: [],
    },
    THREAD: {
      name: 'comment',
      owner: byPartition(postKey),
      isOptional: () => true,
      remove: async ({ target }, { pk }) => {
        const post_id = Number(nameIn(pk))
        while (await cleanUpComments(target.table, { kind: 'comments', post_id, path: [] }));
      },
    },
  },
})

/** Its record is the root of its list. */
const categories = recordType({
  name: 'category',
  kind: 'CATEGORIES',
  labelOf: ({ sk }) => `category ${Number(sk)}`,
  schema: CategoryRecord,
  versionAttributes: ['version'],
  rootOf: ({ id }) => categoryList(id),
  countsOf: () => [{ ...categoryTotalsKey, count: 1 }],
  dependentsOf: ({ id, slug }) => putBy([lockSlug(slug, id)]),
  dependents: { CATEGORYSLUG: { name: 'slug lock', owner: byMember('id', categoryKey) } },
})

function stateKeyOf(listed: unknown): Key | undefined {
  const { data } = CommentEntry.safeParse(listed)
  return data && threadKey(data.post_id, data.path)
}

/** The comment to which the item replies. */
function parentOf(item: Item): Key | undefined {
  const { data } = CommentEntry.safeParse(item)
  return data && data.path.length > 1 ? threadKey(data.post_id, data.path.slice(0, -1)) : undefined
}

/** The record is the state, which changes; the content is written once and depends on it. */
const comments = recordType({
  name: 'comment',
  kind: 'THREAD',
  labelOf: ({ sk }) => `comment ${Number(sk.split('/').at(-1))}`,
  schema: CommentState,
  versionAttributes: ['status'],
  listEntriesOf: commentEntries,
  lists: listsOfComments(),
  entryOwner: ({ item }) => stateKeyOf(item),
  dependentsOf: ({ id, post_id, path }) => [
    { item: { ...commentKey(id), id, post_id, path }, isIrreplaceable: true },
  ],
  dependents: {
    COMMENT: { name: 'text', owner: stateKeyOf, compared: ['id', 'post_id', 'path'] },
    THREAD: {
      name: 'reply',
      owner: parentOf,
      isOptional: () => true,
      remove: async ({ target }, item) => {
        const { post_id, path } = CommentEntry.parse(item)
        const replies = { kind: 'comments', post_id, path: path.slice(0, -1) } as const
        while (await cleanUpComments(target.table, replies));
      },
    },
  },
})

const tickets = recordType({
  name: 'ticket',
  kind: 'TICKET',
  sk: 'TICKET',
  schema: Ticket,
  versionAttributes: ['revision'],
  listEntriesOf: ticketEntries,
  lists: listsOfTickets(),
  entryOwner: byListedId(ticketKey),
  dependentsOf: ({ id }) => [{ item: { ...descriptionKey(id), id }, isIrreplaceable: true }],
  dependents: {
    TICKET: {
      name: 'text',
      owner: byPartition(ticketKey),
      isOptional: ({ sk }) => sk.startsWith(REPLY_PREFIX),
      compared: ['id'],
    },
  },
})

const submissions = recordType({
  name: 'contact message',
  kind: 'CONTACT',
  sk: 'CONTACT',
  schema: Submission,
  versionAttributes: [],
  listEntriesOf: submission => [listEntryOf(submission)],
  lists: listsOfSubmissions(),
  entryOwner: byListedId(submissionKey),
})

const subscribers = recordType({
  name: 'subscriber',
  kind: 'NEWSLETTER',
  sk: 'NEWSLETTER',
  schema: Subscriber,
  versionAttributes: ['revision'],
  listEntriesOf: subscriberEntries,
  lists: listsOfSubscribers(),
  entryOwner: byListedId(newsletterKey),
  dependentsOf: subscriber => putBy([lockEmail(subscriber)]),
  dependents: { NEWSLETTEREMAIL: { name: 'address lock', owner: byMember('id', newsletterKey) } },
})

const users = recordType({
  name: 'user',
  kind: 'USER',
  sk: 'USER',
  schema: User,
  versionAttributes: ['revision'],
  listEntriesOf: userEntries,
  lists: listsOfUsers(),
  entryOwner: byListedId(userKey),
  // Only the command can finish it, because it knows its options.
  problemOf: ({ email, erasing_since: since }) =>
    since === undefined
      ? undefined
      : `its erasure began at ${isoTime(since)} and has not ended. Unless it still runs, finish it: user erase ${email} --yes`,
  // Only those who write posts know how many of an author are public.
  dependentsOf: user =>
    putBy(creationActions(user, null)).map(({ item: { public_posts: _, ...item } }) => ({ item })),
  dependents: {
    AUTHOR: { name: 'public profile', owner: byMember('id', userKey), compared: ['id', 'name', 'avatar'] },
    EMAIL: { name: 'address lock', owner: byMember('user_id', userKey) },
    PASSWORD: { name: 'password', owner: byPartition(userKey), isOptional: () => true },
    USER: { name: 'token', owner: byPartition(userKey), isOptional: () => true },
    PENDING: { name: 'record of pending comments', owner: byPartition(userKey), isOptional: () => true },
    WEBHOOK: {
      name: 'row of webhooks',
      owner: byPartition(userKey),
      isOptional: () => true,
      remove: async (context, { pk, sk }) => {
        const { table } = context.target
        const ownerId = Number(nameIn(pk))
        const count = webhooksOwnedKey(ownerId)
        if (sk !== count.sk) {
          await removeWebhook(unitOfWorkOf(context), { ownerId, id: Number(sk) })
        }
        await table.removeMany([count])
      },
    },
  },
})

const webhooks = recordType({
  name: 'webhook',
  kind: 'WEBHOOK',
  isOne: ({ sk, id }) => typeof id === 'number' && sk === sortable(id),
  labelOf: ({ sk }) => `webhook ${Number(sk)}`,
  schema: WebhookRecord,
  versionAttributes: ['revision'],
  dependentsOf: webhook => putBy([putFanOutEntry(webhook)]),
  countsOf: webhook => [
    { ...webhooksOwnedKey(webhook.owner_id), owned: 1 },
    ...wantedCopies(countsOf([wantedBy(webhook)])),
  ],
  dependents: {
    SUBSCRIBERS: {
      name: 'row for fan-out',
      owner: ({ owner_id, id }) => webhookKey(Number(owner_id), Number(id)),
    },
  },
})

export const RECORD_TYPES: RecordType[] = [
  ...[posts, categories, comments],
  ...[tickets, submissions, subscribers],
  ...[users, webhooks],
]

/** The record that the item is, or on which it depends, as the output names it. */
export function labelOf(item: Item): string | undefined {
  for (const type of RECORD_TYPES) {
    const record = type.isRecord(item) ? item : type.ownerOf(item)
    if (record) return type.labelOf(record)
  }
}
