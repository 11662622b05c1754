// Imports comments, tickets with their replies, newsletter subscribers and contact messages.
import { findAuthors } from '../../../../shared/accounts/store/users.ts'
import { ifStatusUnchanged, putComment } from '../../../../shared/comments/commands.ts'
import {
  type CommentContent,
  type CommentState,
  commentData,
  listEntriesOf as commentEntries,
  MAX_DEPTH,
} from '../../../../shared/comments/comment.ts'
import { findContent, findState } from '../../../../shared/comments/store.ts'
import { eventOf, listEntryOf } from '../../../../shared/contact/submission.ts'
import type { DomainEvent } from '../../../../shared/events/catalogue.ts'
import { requestByEmail, subscriberActions } from '../../../../shared/newsletter/commands.ts'
import { findByEmail } from '../../../../shared/newsletter/store.ts'
import {
  listEntriesOf as subscriberEntries,
  eventsOf as subscriberEvents,
} from '../../../../shared/newsletter/subscriber.ts'
import { Post } from '../../../../shared/posts/post.ts'
import { CONFLICT, failedAs, isNew } from '../../../../shared/table/action.ts'
import {
  commentKey,
  newsletterKey,
  postKey,
  submissionKey,
  ticketKey,
} from '../../../../shared/table/design.ts'
import { retryOnConflict } from '../../../../shared/table/retry-on-conflict.ts'
import { putDescription, putReply, putTicket } from '../../../../shared/tickets/commands.ts'
import {
  Ticket,
  type TicketReply,
  listEntriesOf as ticketEntries,
  eventsOf as ticketEvents,
  ticketWithReply,
} from '../../../../shared/tickets/ticket.ts'
import type { RecordOf } from '../format.ts'
import type { Entry } from '../sources/source.ts'
import { commitOf, type ImportJob, idOf, Skip, type Writer } from './job.ts'
import { ALREADY_IMPORTED, findOrigins, reserveOrigins } from './origins.ts'

export const COMMENTS: Writer<RecordOf<'comment'>> = {
  counter: 'comment',
  keyOf: ({ id }) => commentKey(id),
  create: async (job, { record }, id, commit) => {
    const post_id = idOf(job, 'post', record.post_id, 'Its post was not imported.')
    const [post, parent] = await Promise.all([
      job.table.find(postKey(post_id), Post),
      findParent(job, record.parent_id, post_id),
    ])
    if (post?.content_type === 'page') throw new Skip('Pages take no comments.')
    if (!post) throw new Skip('Its post was deleted here.')
    const { status, guest, body, created_at } = record
    const user_id = job.ids.get(`user:${record.user_id}`) ?? null
    const path = [...(parent?.path ?? []), id]
    const content: CommentContent = { id, post_id, path, user_id, guest, body, created_at, schema: 1 }
    const state: CommentState = { id, post_id, path, user_id, status }
    await commit({
      actions: [
        ...putComment(content, state),
        ...(parent ? [ifStatusUnchanged(parent)] : []),
        ifPostIsThere(post_id),
      ],
      lists: { after: commentEntries(state) },
      events: await commentEvents(job, content, state, post.slug),
    })
  },
}

function ifPostIsThere(id: number) {
  const isThere = { ConditionExpression: 'attribute_exists(pk)' }
  return { onConditionFailed: CONFLICT, ConditionCheck: { Key: postKey(id), ...isThere } }
}

/** A reply that would be too deep is placed below the last comment that takes replies. */
async function findParent(
  job: ImportJob,
  parent_id: number | null,
  post_id: number,
): Promise<CommentState | undefined> {
  if (parent_id === null) return undefined
  const id = idOf(job, 'comment', parent_id, 'The comment above it is not here.')
  const content = await findContent(job.table, id)
  const path = content?.post_id === post_id ? content.path.slice(0, MAX_DEPTH - 1) : []
  const parent = path.length > 0 ? await findState(job.table, { post_id, path }) : undefined
  if (!parent) throw new Skip('The comment above it was deleted here.')
  return parent
}

async function commentEvents(
  { table, work, options }: ImportJob,
  content: CommentContent,
  { status }: CommentState,
  slug: string,
): Promise<DomainEvent[]> {
  if (options.events === 'none') return []
  const [authors, siteUrl] = await Promise.all([
    findAuthors(table, content.user_id === null ? [] : [content.user_id]),
    work().siteUrl(),
  ])
  return [{ event: 'comment.created', data: commentData(content, status, { authors, slug, siteUrl }) }]
}

export const TICKETS: Writer<RecordOf<'ticket'>> = {
  counter: 'ticket',
  keyOf: ({ id }) => ticketKey(id),
  create: async (job, { record }, id, commit) => {
    const { type, replies, description, ...members } = record
    const user_id = idOf(job, 'user', record.user_id, 'Its user was not imported.')
    const ticket: Ticket = { ...members, id, user_id, reply_bytes: 0, revision: 1 }
    await commit({
      actions: [putTicket(null, ticket), putDescription(id, description)],
      lists: { after: ticketEntries(ticket) },
      events: ticketEvents({ before: null, after: ticket }, await job.work().siteUrl()),
    })
  },
  /** Adds the replies that no earlier run has added, one by one, since a ticket may have thousands. */
  complete: async (job, entry, ticketId) => {
    const replies = entry.record.replies.toSorted((a, b) => a.id - b.id)
    const nameOf = (id: number) => `${job.source} ${entry.key} reply:${id}`
    const origins = await findOrigins(
      job.table,
      replies.map(({ id }) => nameOf(id)),
    )
    const missing = replies.filter(({ id }) => !origins.get(nameOf(id))?.digest)
    const wanted = missing.map(({ id }) => ({ name: nameOf(id), id }))
    const ids = await reserveOrigins(job.table, 'ticket-reply', wanted)
    for (const { author_id, ...reply } of missing) {
      const name = nameOf(reply.id)
      const author = job.ids.get(`user:${author_id}`) ?? (await job.defaultAuthor())
      const added = { ...reply, id: ids.get(name) ?? 0, author_id: author }
      await addReply(job, ticketId, added, name)
    }
  },
}

/** Neither the status nor the dates of the ticket change. A deleted ticket stays deleted. */
async function addReply(job: ImportJob, ticketId: number, reply: TicketReply, name: string): Promise<void> {
  await retryOnConflict(async () => {
    const before = await job.table.find(ticketKey(ticketId), Ticket)
    if (!before) return
    const { reply_bytes } = ticketWithReply({ ...before, status: 'open' }, reply)
    const after = { ...before, reply_bytes, revision: before.revision + 1 }
    const commit = commitOf(job, { name, id: reply.id, digest: 'reply' })
    await commit({ actions: [putTicket(before, after), putReply(ticketId, reply)] })
  }).catch(error => {
    if (!failedAs(error, ALREADY_IMPORTED)) throw error
  })
}

export const SUBSCRIBERS: Writer<RecordOf<'subscriber'>> = {
  counter: 'subscriber',
  keyOf: ({ id }) => newsletterKey(id),
  find: async ({ table }, { email }) => {
    const subscriber = await findByEmail(table, email)
    return subscriber && { id: subscriber.id, reason: 'This address has a subscription.' }
  },
  create: async (job, { record, asksByMail }: Entry<RecordOf<'subscriber'>>, id, commit) => {
    if (asksByMail) return requestByEmail(job.work(), record.email)
    const { type, ...members } = record
    const subscriber = { ...members, id, revision: 1 }
    await commit({
      actions: subscriberActions(undefined, subscriber),
      lists: { after: subscriberEntries(subscriber) },
      events: subscriberEvents(undefined, subscriber, await job.work().siteUrl()),
    })
  },
}

export const SUBMISSIONS: Writer<RecordOf<'submission'>> = {
  counter: 'submission',
  keyOf: ({ id }) => submissionKey(id),
  create: async (job, { record }, id, commit) => {
    const { type, ...members } = record
    const submission = { ...members, id }
    await commit({
      actions: [{ Put: { Item: { ...submissionKey(id), ...submission }, ...isNew } }],
      lists: { after: [listEntryOf(submission)] },
      events: [eventOf(submission, await job.work().siteUrl())],
    })
  },
}
