// Exports tickets with their replies, newsletter subscribers and contact messages.
import { Submission } from '../../../../shared/contact/submission.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { Subscriber } from '../../../../shared/newsletter/subscriber.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { newsletterKey, submissionKey } from '../../../../shared/table/design.ts'
import { findTickets, listReplies } from '../../../../shared/tickets/store.ts'
import type { Ticket } from '../../../../shared/tickets/ticket.ts'
import type { ExportLine } from '../format.ts'
import type { Step } from './step.ts'

function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds)
}

async function readTickets(table: Table, ids: number[]): Promise<ExportLine[]> {
  const tickets = await findTickets(table, ids)
  return await Promise.all(tickets.map(({ ticket, description }) => ticketLine(table, ticket, description)))
}

async function ticketLine(table: Table, ticket: Ticket, description: string): Promise<ExportLine> {
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
}

async function readSubscribers(table: Table, ids: number[]): Promise<ExportLine[]> {
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

async function readSubmissions(table: Table, ids: number[]): Promise<ExportLine[]> {
  const submissions = (await table.findMany(ids.map(submissionKey))).map(item => Submission.parse(item))
  return submissions
    .sort((a, b) => a.id - b.id)
    .map(({ created_at, ...members }) => ({
      type: 'submission',
      ...members,
      created_at: isoTime(created_at),
    }))
}

export const TICKETS_STEP: Step = { name: 'tickets', counter: 'ticket', atOnce: 50, read: readTickets }
export const SUBSCRIBERS_STEP: Step = {
  name: 'subscribers',
  counter: 'subscriber',
  atOnce: 100,
  read: readSubscribers,
}
export const SUBMISSIONS_STEP: Step = {
  name: 'contact messages',
  counter: 'submission',
  atOnce: 100,
  read: readSubmissions,
}
