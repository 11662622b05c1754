// All that is kept of a person, as JSON, with the members of an export. Secrets, and hashes of secrets, are
// left out.
import { findTokens, withLastUse } from '../../../shared/accounts/store/tokens.ts'
import { findPasswordHash, findUser } from '../../../shared/accounts/store/users.ts'
import { adminUser } from '../../../shared/accounts/user.ts'
import { type CommentContent, parentOf } from '../../../shared/comments/comment.ts'
import { findState } from '../../../shared/comments/store.ts'
import { isoTime } from '../../../shared/http/time.ts'
import type { Table } from '../../../shared/table/client.ts'
import { ticketWithReplies } from '../../../shared/tickets/store.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import { webhookView } from '../../../shared/webhooks/webhook.ts'
import { viewOfToken } from '../accounts.ts'
import type { Context } from '../command.ts'
import { refusalView } from '../commands/mail.ts'
import { exportedRecord } from '../import-export/format.ts'
import { collectOf, type Person } from './collect.ts'

/** Its members are what the service keeps, so an empty list says that it keeps nothing of the kind. */
export async function exportPerson(context: Context, person: Person) {
  const { target, nowSeconds } = context
  const { table } = target
  const data = await collectOf(context, person)
  const webhooks = person.userId === undefined ? [] : await listWebhooks(table, person.userId)
  return {
    email: person.email,
    exported_at: isoTime(nowSeconds),
    account: await accountOf(table, person, nowSeconds),
    // Without the body, which is public content: `GET /admin/posts/{id}` shows it.
    posts: data.posts.map(post => exportedRecord('post', post)),
    comments: await Promise.all(data.comments.map(comment => exportedComment(table, comment))),
    tickets: await Promise.all(data.tickets.map(ticket => ticketWithReplies(table, ticket))),
    ticket_replies: data.replies.map(reply => exportedRecord('reply', reply)),
    newsletter: data.subscribers.map(subscriber => exportedRecord('subscriber', subscriber)),
    contact: data.submissions.map(submission => exportedRecord('submission', submission)),
    mail_refusals: data.refusals.map(refusalView),
    webhooks: webhooks.map(webhook => ({
      ...webhookView(webhook),
      created_at: isoTime(webhook.created_at),
    })),
    events: data.events.map(({ key: _, ...event }) => event),
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

async function exportedComment(table: Table, comment: CommentContent) {
  const state = await findState(table, comment)
  const status = state?.status ?? 'deleted'
  return exportedRecord('comment', { ...comment, parent_id: parentOf(comment), status })
}
