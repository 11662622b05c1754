// Imports people and what they wrote: accounts, comments, tickets, subscribers, messages and subscriptions.
import { randomBytes } from 'node:crypto'
import { changeUser, creationActions } from '../../../../shared/accounts/commands/users.ts'
import { findAuthors, findUserIdByEmail } from '../../../../shared/accounts/store/users.ts'
import { changedProfile, type User, listEntriesOf as userEntries } from '../../../../shared/accounts/user.ts'
import { ifPostUnchanged, ifStatusUnchanged, putComment } from '../../../../shared/comments/commands.ts'
import {
  type CommentContent,
  type CommentState,
  commentData,
  listEntriesOf as commentEntries,
  MAX_DEPTH,
} from '../../../../shared/comments/comment.ts'
import { findContent, findState } from '../../../../shared/comments/store.ts'
import { commitSubmission } from '../../../../shared/contact/commands.ts'
import { invalid } from '../../../../shared/http/errors.ts'
import { requestByEmail, subscriberActions } from '../../../../shared/newsletter/commands.ts'
import { findByEmail } from '../../../../shared/newsletter/store.ts'
import {
  listEntriesOf as subscriberEntries,
  eventsOf as subscriberEvents,
} from '../../../../shared/newsletter/subscriber.ts'
import { Post } from '../../../../shared/posts/post.ts'
import {
  commentKey,
  fanOutKey,
  newsletterKey,
  postKey,
  replyKey,
  submissionKey,
  ticketKey,
  userKey,
} from '../../../../shared/table/design.ts'
import { commitTicket, putDescription, putReply } from '../../../../shared/tickets/commands.ts'
import { Ticket, ticketWithReply } from '../../../../shared/tickets/ticket.ts'
import { addWebhook } from '../../../../shared/webhooks/commands/webhooks.ts'
import { newSecret, sealSecret } from '../../../../shared/webhooks/secret.ts'
import { checkUrl, newWebhook } from '../../../../shared/webhooks/webhook.ts'
import type { RecordOf } from '../format.ts'
import type { Entry } from '../sources/source.ts'
import { type ImportJob, idOf, Skip, type Writer } from './job.ts'

/** Accounts, without tokens. An account that is here already stays as it is. */
export const USERS: Writer<RecordOf<'user'>> = {
  counter: 'user',
  keyOf: ({ id }) => userKey(id),
  find: async ({ table }, { email }) => {
    const id = await findUserIdByEmail(table, email)
    return id === undefined ? undefined : { id, reason: 'There is an account with this address.' }
  },
  create: async (_, { record }, id, work) => {
    const { type, password_hash, wants_newsletter, ...members } = record
    const user: User = { ...members, id, first_valid_token: 0, revision: 1 }
    if (wants_newsletter !== undefined) user.wants_newsletter = wants_newsletter
    await work.commit({
      actions: creationActions(user, password_hash ?? null),
      lists: { after: userEntries(user) },
    })
  },
  /** Never the address or the password, which only the owner of the account may change. */
  update: async ({ table }, { record: { name, bio, avatar } }, id) => {
    await changeUser(table, id, user => changedProfile(user, { name, bio, avatar }))
  },
}

export const COMMENTS: Writer<RecordOf<'comment'>> = {
  counter: 'comment',
  keyOf: ({ id }) => commentKey(id),
  create: async (job, { record }, id, work) => {
    const { status, guest, body, created_at } = record
    const post_id = idOf(job, 'post', record.post_id, 'Its post was not imported.')
    const user_id = job.ids.get(`user:${record.user_id}`) ?? null
    const [post, parent, authors] = await Promise.all([
      job.table.find(postKey(post_id), Post),
      findParent(job, record.parent_id, post_id),
      findAuthors(job.table, user_id === null ? [] : [user_id]),
    ])
    if (!post) throw new Skip('Its post was deleted here.')
    if (post.content_type === 'page') throw new Skip('Pages take no comments.')
    const path = [...(parent?.path ?? []), id]
    const content: CommentContent = { id, post_id, path, user_id, guest, body, created_at, schema: 1 }
    const state: CommentState = { id, post_id, path, user_id, status }
    const shown = { authors, slug: post.slug, siteUrl: await work.siteUrl() }
    await work.commit({
      actions: [
        ...putComment(content, state),
        ...(parent ? [ifStatusUnchanged(parent)] : []),
        ifPostUnchanged(post),
      ],
      lists: { after: commentEntries(state) },
      events: [{ event: 'comment.created', data: commentData(content, status, shown) }],
    })
  },
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

export const TICKETS: Writer<RecordOf<'ticket'>> = {
  counter: 'ticket',
  keyOf: ({ id }) => ticketKey(id),
  create: async (job, { record }, id, work) => {
    const { type, description, ...members } = record
    const user_id = idOf(job, 'user', record.user_id, 'Its user was not imported.')
    const after: Ticket = { ...members, id, user_id, reply_bytes: 0, revision: 1 }
    await commitTicket(work, { before: null, after }, { texts: [putDescription(id, description)] })
  },
}

/** Neither the status nor the dates of the ticket change. */
export const REPLIES: Writer<RecordOf<'reply'>> = {
  counter: 'ticket-reply',
  keyOf: ({ ticket_id, id }) => replyKey(ticket_id, id),
  create: async (job, { record }, id, work) => {
    const { type, ticket_id, ...members } = record
    const ticketId = idOf(job, 'ticket', ticket_id, 'Its ticket was not imported.')
    const before = await job.table.find(ticketKey(ticketId), Ticket)
    if (!before) throw new Skip('Its ticket was deleted here.')
    const author_id = job.ids.get(`user:${record.author_id}`) ?? (await job.defaultAuthor())
    const reply = { ...members, id, author_id }
    const { reply_bytes } = ticketWithReply({ ...before, status: 'open' }, reply)
    await commitTicket(
      work,
      { before, after: { ...before, reply_bytes } },
      { texts: [putReply(ticketId, reply)] },
    )
  },
}

export const SUBSCRIBERS: Writer<RecordOf<'subscriber'>> = {
  counter: 'subscriber',
  keyOf: ({ id }) => newsletterKey(id),
  find: async ({ table }, { email }) => {
    const subscriber = await findByEmail(table, email)
    return subscriber && { id: subscriber.id, reason: 'This address has a subscription.' }
  },
  create: async (job, { record, asksByMail }: Entry<RecordOf<'subscriber'>>, id, work) => {
    if (asksByMail) return await requestByEmail(job.work(), record.email)
    const { type, ...members } = record
    const subscriber = { ...members, id, revision: 1 }
    await work.commit({
      actions: subscriberActions(undefined, subscriber),
      lists: { after: subscriberEntries(subscriber) },
      events: subscriberEvents(undefined, subscriber, await work.siteUrl()),
    })
  },
}

export const SUBMISSIONS: Writer<RecordOf<'submission'>> = {
  counter: 'submission',
  keyOf: ({ id }) => submissionKey(id),
  create: async (_, { record: { type, ...members } }, id, work) => {
    await commitSubmission(work, { ...members, id })
  },
}

/** An export has no secrets, so each subscription gets a new one and is paused until that is known. */
export const WEBHOOKS: Writer<RecordOf<'webhook'>> = {
  counter: 'webhook',
  keyOf: ({ id }) => fanOutKey(id),
  create: async (job, { record, notes }, id, work) => {
    const { headers = [] } = record
    const { target } = job.context
    const ownerId = idOf(job, 'user', record.owner_id, 'Its user was not imported.')
    const faults = checkUrl(record, { allowLoopback: target.stage === undefined, allowedHosts: [] })
    if (Object.keys(faults).length > 0) throw invalid(faults)
    const sealedSecret = sealSecret({ PRIVATE_KEY: await target.privateKey() }, id, newSecret(randomBytes))
    const webhook = newWebhook(record, { id, ownerId, sealedSecret, nowMs: work.nowMs })
    await addWebhook(work, { ...webhook, is_active: false, created_at: record.created_at })
    if (headers.length > 0) notes.push(`Set its headers again: ${headers.join(', ')}.`)
  },
}
