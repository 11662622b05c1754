// Descriptions of the members of tickets, and of the parameters of their endpoints.
import { type Description, describes, pageTexts } from '../http/descriptions.ts'
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

const STATUS =
  '`open`; `in_progress`, once the staff replied; `resolved`; or `closed`, which takes no replies.'
const PRIORITY = '`low`, `medium`, `high` or `urgent`.'

const LISTED = {
  id: 'Numeric id.',
  subject: 'Subject, one line of plain text.',
  description: 'What it is about: plain text as it was written.',
  priority: PRIORITY,
  status: STATUS,
  created_at: 'When it was opened, in UTC.',
  updated_at: 'When it last changed or got a reply, in UTC.',
} as const
const REPLIES = { replies: 'All replies, oldest first.' } as const
const USER = { user: 'The user who opened it.' } as const

export const TICKET_DESCRIPTIONS: Description[] = [
  describes(TicketListItem, LISTED),
  describes(TicketView, { ...LISTED, ...REPLIES }),
  describes(AdminTicketListItem, { ...LISTED, ...USER }),
  describes(AdminTicketView, { ...LISTED, ...REPLIES, ...USER }),
  describes(AdminTicketView.shape.user, {
    id: 'Id of the user.',
    name: "The user's name of today.",
    email: "The user's e-mail address.",
  }),
  describes(ReplyView, {
    id: 'Number of the reply within its ticket, from 1.',
    author: 'Who wrote it.',
    body: 'Plain text as it was written.',
    is_staff: 'True for a reply of an admin, false for one of the user.',
    created_at: 'When it was written, in UTC.',
  }),
  describes(ReplyView.shape.author, { name: "The author's name of today." }),
  describes(TicketInput, {
    subject: ['One line of 1 to 255 characters.', 'It does not open'],
    description: ['Plain text of 1 to 10,000 characters.', 'I tried twice.'],
    priority: `${PRIORITY} By default \`medium\`.`,
  }),
  describes(ReplyInput, { body: ['Plain text of 1 to 10,000 characters.', 'Please try again.'] }),
  describes(TicketChange, { status: STATUS, priority: PRIORITY }),
  describes(tickets.listTickets.query, pageTexts()),
  describes(tickets.getTicket.params, { id: 'Id of the ticket.' }),
  describes(adminTickets.listTickets.query, {
    ...pageTexts(),
    status: ['Only tickets of this status. By default all.', 'open'],
  }),
]
