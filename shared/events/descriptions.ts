// Descriptions of the members of events.
import { type Description, describes } from '../http/descriptions.ts'
import { EVENTS } from './catalogue.ts'

const SITE = { url: 'Address of the site.' } as const
const USER = {
  id: 'Id of the user.',
  ...SITE,
  name: 'Name of the user.',
  email: 'E-mail address of the user.',
} as const
const TICKET = {
  id: 'Id of the ticket.',
  url: 'Address of the ticket on the site.',
  subject: 'Subject of the ticket.',
  priority: 'Priority of the ticket.',
  status: 'Status of the ticket after the event.',
  user_id: 'Id of the user who opened it.',
} as const

export const EVENT_DESCRIPTIONS: Description[] = [
  describes(EVENTS['post.published'].data, {
    id: 'Id of the post or page.',
    slug: 'Its slug.',
    url: 'Its address on the site.',
    posted_at: 'When it was or will be published, in UTC; null if it has no date.',
    title: 'Its title.',
    content_type: '`post` or `page`.',
    version: 'Its version after the event. Deliveries keep no order, so compare this.',
    previous_slug: 'The slug before the change. Only with `post.updated`, if the slug changed.',
  }),
  describes(EVENTS['comment.created'].data, {
    id: 'Id of the comment.',
    post_id: 'Id of its post.',
    slug: 'Slug of its post.',
    url: 'Address of the comment on the site.',
    parent_id: 'Id of the comment that it answers; null for a comment on the post itself.',
    status: 'Status of the comment after the event.',
    author_name: 'Name of its author.',
  }),
  describes(EVENTS['newsletter.subscribed'].data, {
    id: 'Id of the subscriber.',
    ...SITE,
    email: 'E-mail address of the subscriber.',
  }),
  describes(EVENTS['user.registered'].data, USER),
  describes(EVENTS['user.banned'].data, {
    ...USER,
    reason: 'Reason of the ban; null without one.',
    banned_until: 'When the ban ends, in UTC; null if it does not end by itself.',
  }),
  describes(EVENTS['ticket.created'].data, TICKET),
  describes(EVENTS['ticket.replied'].data, {
    ...TICKET,
    reply_id: 'Number of the reply within its ticket, from 1.',
    is_staff: 'True for a reply of an admin, false for one of the user.',
  }),
  describes(EVENTS['ticket.status-changed'].data, {
    ...TICKET,
    old_status: 'Status before the event.',
    new_status: 'Status after the event.',
  }),
  describes(EVENTS['contact.submitted'].data, {
    id: 'Id of the message.',
    ...SITE,
    name: 'Name of the sender.',
    email: 'E-mail address of the sender. It is not verified.',
    subject: 'Subject; null if there is none.',
  }),
  describes(EVENTS['test.ping'].data, {
    id: 'Id of the subscription.',
    ...SITE,
    message: 'A sentence for people.',
  }),
]
