// All that is kept of a person, as JSON. Secrets, and hashes of secrets, are left out.
import { findTokens, withLastUse } from '../../../shared/accounts/store/tokens.ts'
import { findPasswordHash, findUser } from '../../../shared/accounts/store/users.ts'
import { adminUser } from '../../../shared/accounts/user.ts'
import { parentOf } from '../../../shared/comments/comment.ts'
import { findState } from '../../../shared/comments/store.ts'
import { submissionView } from '../../../shared/contact/submission.ts'
import { isoTime } from '../../../shared/http/time.ts'
import { subscriberView } from '../../../shared/newsletter/subscriber.ts'
import { type Post, statusOf } from '../../../shared/posts/post.ts'
import type { Table } from '../../../shared/table/client.ts'
import { ticketWithReplies } from '../../../shared/tickets/store.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import { webhookView } from '../../../shared/webhooks/webhook.ts'
import { viewOfToken } from '../accounts.ts'
import type { Context } from '../command.ts'
import { refusalView } from '../commands/mail.ts'
import { collectOf, mentionedOutside, type OwnReply, type PersonalData } from './collect.ts'
import type { Person } from './personal-data.ts'

/** Its members are what the service keeps, so an empty list says that it keeps nothing of the kind. */
export async function exportPerson(context: Context, person: Person) {
  const { target, nowSeconds } = context
  const { table } = target
  const data = await collectOf(context, person)
  return {
    email: person.email,
    exported_at: isoTime(nowSeconds),
    account: await accountOf(table, person, nowSeconds),
    posts: data.posts.map(post => postView(post, nowSeconds)),
    comments: await Promise.all(data.comments.map(comment => commentView(table, comment))),
    tickets: await Promise.all(data.tickets.map(ticket => ticketWithReplies(table, ticket))),
    ticket_replies: data.replies.map(replyView),
    newsletter: data.subscribers.map(subscriber => ({
      ...subscriberView(subscriber),
      created_at: isoTime(subscriber.created_at),
      last_mail_at: subscriber.mailed_at === null ? null : isoTime(subscriber.mailed_at),
    })),
    contact: data.submissions.map(submissionView),
    mail_refusals: data.refusals.map(refusalView),
    webhooks: await webhooksOf(table, person),
    events: data.events.map(({ key: _, ...event }) => event),
    mentioned_in: mentionedOutside(data, ['comments', 'tickets', 'submissions']),
  }
}

async function accountOf(table: Table, { userId }: Person, nowSeconds: number) {
  const user = userId === undefined ? undefined : await findUser(table, userId)
  if (!user) return null
  const [{ tokens }, hash] = await Promise.all([findTokens(table, user.id), findPasswordHash(table, user.id)])
  return {
    ...adminUser(user, nowSeconds),
    has_password: hash !== undefined,
    wants_newsletter: user.wants_newsletter ?? false,
    tokens: (await withLastUse(table, tokens)).map(viewOfToken),
  }
}

/** Without the body, which is public content: `GET /admin/posts/{id}` shows it. */
function postView(post: Post, nowSeconds: number) {
  return {
    id: post.id,
    content_type: post.content_type,
    title: post.title,
    slug: post.slug,
    status: statusOf(post, nowSeconds),
    posted_at: post.posted_at === null ? null : isoTime(post.posted_at),
    created_at: isoTime(post.created_at),
    updated_at: isoTime(post.updated_at),
  }
}

async function commentView(table: Table, comment: PersonalData['comments'][number]) {
  const state = await findState(table, comment)
  return {
    id: comment.id,
    post_id: comment.post_id,
    parent_id: parentOf(comment),
    ...(comment.guest && { author_name: comment.guest.name, author_email: comment.guest.email }),
    body: comment.body,
    status: state?.status ?? 'deleted',
    created_at: isoTime(comment.created_at),
  }
}

function replyView({ id, ticket_id, body, is_staff, created_at }: OwnReply) {
  return { id, ticket_id, body, is_staff, created_at: isoTime(created_at) }
}

async function webhooksOf(table: Table, { userId }: Person) {
  const all = userId === undefined ? [] : await listWebhooks(table, userId)
  return all.map(({ webhook, counts }) => ({
    ...webhookView(webhook, counts),
    created_at: isoTime(webhook.created_at),
  }))
}
