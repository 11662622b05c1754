// Guides to the endpoints of tickets, with an example of each.
import { type Guide, guideOf } from '../http/guide.ts'
import { adminTickets, tickets } from './contract.ts'

const WRITTEN = { subject: 'It does not open', description: 'I tried twice.' }
const LISTED = {
  id: 1,
  ...WRITTEN,
  priority: 'medium' as const,
  status: 'in_progress' as const,
  created_at: '2026-05-26T15:00:00+00:00',
  updated_at: '2026-05-26T15:20:00+00:00',
}
const REPLY = {
  id: 1,
  author: { name: 'Grace' },
  body: 'Please try again.',
  is_staff: true,
  created_at: '2026-05-26T15:20:00+00:00',
}
const TICKET = { ...LISTED, replies: [REPLY] }
const USER = { user: { id: 2, name: 'Ada', email: 'ada@example.com' } }

const CLOSED = 'A closed ticket takes none: it is a 422 on `status` until the ticket is reopened.'
const FULL = `A ticket holds as many replies as fit in one answer, about 2,700 short ones: then it is a 422 on \`replies\`. Open a
  new ticket.`

export const TICKET_GUIDES: Guide[] = [
  ...guideOf(tickets, {
    listTickets: { description: 'Without their replies.', data: [LISTED] },
    createTicket: { body: WRITTEN, data: { ...LISTED, status: 'open', replies: [] } },
    getTicket: { description: 'With its replies.', params: { id: 1 }, data: TICKET },
    replyToTicket: {
      description: `The status stays as it is. ${CLOSED} ${FULL}`,
      params: { id: 1 },
      body: { body: 'It works now.' },
      data: { ...REPLY, id: 2, author: { name: 'Ada' }, body: 'It works now.', is_staff: false },
    },
    reopenTicket: {
      description:
        'Makes a `resolved` or `closed` ticket `open`. With any other status it is a 422 on `status`.',
      params: { id: 1 },
      data: { ...TICKET, status: 'open' },
    },
  }),
  ...guideOf(adminTickets, {
    listTickets: {
      description: 'All tickets, or those of one status, without their replies.',
      data: [{ ...LISTED, ...USER }],
    },
    getTicket: { description: 'With its replies.', params: { id: 1 }, data: { ...TICKET, ...USER } },
    replyToTicket: {
      description: `An \`open\` ticket becomes \`in_progress\`. ${CLOSED} ${FULL}`,
      params: { id: 1 },
      body: { body: 'Please try again.' },
      data: REPLY,
    },
    changeTicket: {
      description: 'Members that are left out keep their values. The event fires only if the status changes.',
      params: { id: 1 },
      body: { status: 'resolved' },
      data: { ...TICKET, ...USER, status: 'resolved' },
    },
  }),
]
