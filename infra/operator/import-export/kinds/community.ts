// What people wrote: comments, tickets, subscribers of the newsletter, contact messages and subscriptions.
import { randomBytes } from 'node:crypto'
import { findAuthors } from '../../../../shared/accounts/store/users.ts'
import { ifPostUnchanged, ifStatusUnchanged, putComment } from '../../../../shared/comments/commands.ts'
import {
  CommentContent,
  CommentState,
  commentData,
  listEntriesOf as commentEntries,
  MAX_DEPTH,
  parentOf,
} from '../../../../shared/comments/comment.ts'
import { findContent, findState } from '../../../../shared/comments/store.ts'
import { commitSubmission } from '../../../../shared/contact/commands.ts'
import { Submission } from '../../../../shared/contact/submission.ts'
import { foldedEmail } from '../../../../shared/http/email.ts'
import { invalid } from '../../../../shared/http/errors.ts'
import { requestByEmail, subscriberActions } from '../../../../shared/newsletter/commands.ts'
import { findByEmail } from '../../../../shared/newsletter/store.ts'
import {
  eventsOf,
  Subscriber,
  listEntriesOf as subscriberEntries,
} from '../../../../shared/newsletter/subscriber.ts'
import { Post } from '../../../../shared/posts/post.ts'
import { findById, type Table } from '../../../../shared/table/client.ts'
import {
  commentKey,
  fanOutKey,
  newsletterEmailKey,
  newsletterKey,
  postKey,
  submissionKey,
  threadKey,
  ticketKey,
  webhookKey,
} from '../../../../shared/table/design.ts'
import { commitTicket, putDescription, putReply } from '../../../../shared/tickets/commands.ts'
import { findTickets, listReplies } from '../../../../shared/tickets/store.ts'
import { Ticket, ticketWithReply } from '../../../../shared/tickets/ticket.ts'
import { addWebhook } from '../../../../shared/webhooks/commands/webhooks.ts'
import { newSecret, sealSecret } from '../../../../shared/webhooks/secret.ts'
import { checkUrl, FanOutEntry, newWebhook, WebhookRecord } from '../../../../shared/webhooks/webhook.ts'
import type { RecordOf } from '../format.ts'
import { findRecords, type ImportJob, idOf, type Kind } from '../import/job.ts'
import { Skip } from '../sources/source.ts'

const COMMENTS: Kind<RecordOf<'comment'>> = {
  type: 'comment',
  counter: 'comment',
  read: readComments,
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

/** What was deleted with its post or with a comment above it has no state any more. */
async function readComments(table: Table, ids: number[]) {
  const contents = await findRecords(table, ids.map(commentKey), CommentContent)
  const keys = contents.map(({ post_id, path }) => threadKey(post_id, path))
  const states = await findById(table, keys, CommentState)
  return contents.flatMap(content => {
    const state = states.get(content.id)
    return state ? [{ ...content, parent_id: parentOf(content), status: state.status }] : []
  })
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

const TICKETS: Kind<RecordOf<'ticket'>> = {
  type: 'ticket',
  counter: 'ticket',
  read: (table, ids) =>
    findTickets(
      table,
      ids.map(id => ({ id })),
    ),
  create: async (job, { record }, id, work) => {
    const { type, description, ...members } = record
    const user_id = idOf(job, 'user', record.user_id, 'Its user was not imported.')
    const after: Ticket = { ...members, id, user_id, reply_bytes: 0, revision: 1 }
    await commitTicket(work, { before: null, after }, { texts: [putDescription(id, description)] })
  },
}

/** Neither the status nor the dates of the ticket change. */
const REPLIES: Kind<RecordOf<'reply'>> = {
  type: 'reply',
  counter: 'ticket-reply',
  within: 'ticket',
  /** The replies of the tickets with these ids. */
  read: async (table, ids) => {
    const all = await Promise.all(ids.map(ticket_id => listReplies(table, ticket_id)))
    return all.flatMap((replies, n) => replies.map(reply => ({ ...reply, ticket_id: ids[n] })))
  },
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

const SUBSCRIBERS: Kind<RecordOf<'subscriber'>> = {
  type: 'subscriber',
  counter: 'subscriber',
  read: (table, ids) => findRecords(table, ids.map(newsletterKey), Subscriber),
  lock: ({ email }) => newsletterEmailKey(foldedEmail(email)),
  ownerOf: ({ id }) => ({ id: Number(id), reason: 'This address has a subscription.' }),
  create: async (job, { record, asksByMail }, id, work) => {
    // A conflict with the same address would come again.
    if (await findByEmail(job.table, record.email)) throw new Skip('This address has a subscription.')
    if (asksByMail) return await requestByEmail(job.work(), record.email)
    const { type, ...members } = record
    const subscriber = { ...members, id, revision: 1 }
    await work.commit({
      actions: subscriberActions(undefined, subscriber),
      lists: { after: subscriberEntries(subscriber) },
      events: eventsOf(undefined, subscriber, await work.siteUrl()),
    })
  },
}

const SUBMISSIONS: Kind<RecordOf<'submission'>> = {
  type: 'submission',
  counter: 'submission',
  read: (table, ids) => findRecords(table, ids.map(submissionKey), Submission),
  create: (_, { record: { type, ...members } }, id, work) => commitSubmission(work, { ...members, id }),
}

/** An export has no secrets, so each subscription gets a new one and is paused until that is known. */
const WEBHOOKS: Kind<RecordOf<'webhook'>> = {
  type: 'webhook',
  counter: 'webhook',
  read: async (table, ids) => {
    const entries = await findRecords(table, ids.map(fanOutKey), FanOutEntry)
    const keys = entries.map(({ owner_id, id }) => webhookKey(owner_id, id))
    const webhooks = await findRecords(table, keys, WebhookRecord)
    return webhooks.map(({ template, ...webhook }) => ({
      ...webhook,
      body: template === undefined ? undefined : JSON.parse(template),
    }))
  },
  create: async (job, { record, notes }, id, work) => {
    const { headers = [] } = record
    const { target } = job
    const ownerId = idOf(job, 'user', record.owner_id, 'Its user was not imported.')
    const faults = checkUrl(record, { allowLoopback: target.stage === undefined, allowedHosts: [] })
    if (Object.keys(faults).length > 0) throw invalid(faults)
    const sealed_secret = sealSecret({ PRIVATE_KEY: await target.privateKey() }, id, newSecret(randomBytes))
    const webhook = newWebhook({ id, owner_id: ownerId, sealed_secret }, record, work.nowMs)
    await addWebhook(work, { ...webhook, is_active: false, created_at: record.created_at })
    if (headers.length > 0) notes.push(`Set its headers again: ${headers.join(', ')}.`)
  },
}

export const COMMUNITY: Kind[] = [COMMENTS, TICKETS, REPLIES, SUBSCRIBERS, SUBMISSIONS, WEBHOOKS]
