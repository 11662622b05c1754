// The guide to support tickets: texts and examples of the endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { adminTickets, tickets } from './contract.ts'
import {
  AdminTicketListItem,
  AdminTicketView,
  ReplyInput,
  ReplyView,
  TicketChange,
  TicketInput,
  TicketListItem,
  TicketView,
} from './fields.ts'

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

const STATUS =
  '`open`; `in_progress`, once the staff replied; `resolved`; or `closed`, which takes no replies.'
const PRIORITY = '`low`, `medium`, `high` or `urgent`.'

const LISTED_TEXTS = {
  id: 'Numeric id.',
  subject: 'Subject, one line of plain text.',
  description: 'What it is about: plain text as it was written.',
  priority: PRIORITY,
  status: STATUS,
  created_at: 'When it was opened, in UTC.',
  updated_at: 'When it last changed or got a reply, in UTC.',
} as const
const REPLIES_TEXTS = { replies: 'All replies, oldest first.' } as const
const USER_TEXTS = { user: 'The user who opened it.' } as const

export const TICKET_GUIDE: SliceGuide = {
  tags: {
    'me: tickets': "The caller's support tickets. Needs the ability `tickets:write`.",
    'admin: tickets': 'Answer support tickets. Needs the ability `admin`.',
  },
  endpoints: [
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
    ...guideOf(
      adminTickets,
      {
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
          description:
            'Members that are left out keep their values. The event fires only if the status changes.',
          params: { id: 1 },
          body: { status: 'resolved' },
          data: { ...TICKET, ...USER, status: 'resolved' },
        },
      },
      { status: ['Only tickets of this status. By default all.', 'open'] },
    ),
  ],
  members: [
    describes(TicketListItem, LISTED_TEXTS),
    describes(TicketView, { ...LISTED_TEXTS, ...REPLIES_TEXTS }),
    describes(AdminTicketListItem, { ...LISTED_TEXTS, ...USER_TEXTS }),
    describes(AdminTicketView, { ...LISTED_TEXTS, ...REPLIES_TEXTS, ...USER_TEXTS }),
    describes(AdminTicketView.shape.user, {
      id: 'Id of the user.',
      name: 'The user\'s name of today, or "Deleted user" if the account was erased.',
      email: "The user's e-mail address. Empty if the account was erased.",
    }),
    describes(ReplyView, {
      id: 'Number of the reply within its ticket, from 1.',
      author: 'Who wrote it.',
      body: 'Plain text as it was written.',
      is_staff: 'True for a reply of an admin, false for one of the user.',
      created_at: 'When it was written, in UTC.',
    }),
    describes(ReplyView.shape.author, {
      name: 'The author\'s name of today, or "Deleted user" if the account was erased.',
    }),
    describes(TicketInput, {
      subject: ['One line of 1 to 255 characters.', 'It does not open'],
      description: ['Plain text of 1 to 10,000 characters.', 'I tried twice.'],
      priority: `${PRIORITY} By default \`medium\`.`,
    }),
    describes(ReplyInput, { body: ['Plain text of 1 to 10,000 characters.', 'Please try again.'] }),
    describes(TicketChange, { status: STATUS, priority: PRIORITY }),
  ],
}
