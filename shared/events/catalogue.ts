// The events of the service: the name, the trigger, the data and a sample of each.
import * as z from 'zod/mini'
import { members } from '../http/members.ts'
import { Time } from '../http/time.ts'

const Id = z.int().check(z.positive())
const Status = z.enum(['open', 'in_progress', 'resolved', 'closed'])
export const COMMENT_STATUSES = ['pending', 'approved', 'rejected'] as const
const SITE_URL = [z.url(), 'Address of the site.'] as const

const PostData = members({
  id: [Id, 'Id of the post or page.'],
  slug: [z.string(), 'Slug of the post or page.'],
  url: [z.url(), 'Address of the post or page on the site.'],
  posted_at: [z.nullable(Time), 'When it was or will be published, in UTC; null if it has no date.'],
  title: [z.string(), 'Title of the post or page.'],
  content_type: [z.enum(['post', 'page']), '`post` or `page`.'],
  version: [
    z.int().check(z.positive()),
    'Version of the post or page after the event. Deliveries keep no order, so compare this.',
  ],
  previous_slug: [
    z.optional(z.string()),
    'The slug before the change. Only with `post.updated`, if the slug changed.',
  ],
})
const CommentData = members({
  id: [Id, 'Id of the comment.'],
  post_id: [Id, 'Id of its post.'],
  slug: [z.string(), 'Slug of its post.'],
  url: [z.url(), 'Address of the comment on the site.'],
  parent_id: [z.nullable(Id), 'Id of the comment that it answers; null for a comment on the post itself.'],
  status: [z.enum(COMMENT_STATUSES), 'Status of the comment after the event.'],
  author_name: [z.string(), 'Name of its author.'],
})
const NewsletterData = members({
  id: [Id, 'Id of the subscriber.'],
  url: SITE_URL,
  email: [z.string(), 'E-mail address of the subscriber.'],
})
const USER = {
  id: [Id, 'Id of the user.'],
  url: SITE_URL,
  name: [z.string(), 'Name of the user.'],
  email: [z.string(), 'E-mail address of the user.'],
} as const
const UserData = members(USER)
const TICKET = {
  id: [Id, 'Id of the ticket.'],
  url: [z.url(), 'Address of the ticket on the site.'],
  subject: [z.string(), 'Subject of the ticket.'],
  priority: [z.enum(['low', 'medium', 'high', 'urgent']), 'Priority of the ticket.'],
  status: [Status, 'Status of the ticket after the event.'],
  user_id: [Id, 'Id of the user who opened it.'],
} as const
const TicketData = members(TICKET)

const SITE = 'https://example.com'
const post = {
  id: 7,
  slug: 'hello-world',
  url: `${SITE}/blog/hello-world`,
  posted_at: '2026-05-26T15:00:00+00:00',
  title: 'Hello, world',
  content_type: 'post',
  version: 3,
} as const
const comment = {
  id: 31,
  post_id: 7,
  slug: 'hello-world',
  url: `${SITE}/blog/hello-world#comment-31`,
  parent_id: null,
  status: 'pending',
  author_name: 'Ada',
} as const
const subscriber = { id: 5, url: SITE, email: 'ada@example.com' }
const user = { id: 2, url: SITE, name: 'Ada', email: 'ada@example.com' }
const ticket = {
  id: 9,
  url: `${SITE}/support/tickets/9`,
  subject: 'It does not open',
  priority: 'medium',
  status: 'open',
  user_id: 2,
} as const

function event<Data extends z.ZodMiniType>(when: string, data: Data, sample: z.output<Data>) {
  return { when, data, sample }
}

/** Receivers depend on the names. Payloads contain no secrets. */
export const EVENTS = {
  'post.published': event('A post goes live, by hand or at its date.', PostData, post),
  'post.updated': event('A post or page changes that readers see.', PostData, {
    ...post,
    previous_slug: 'hello',
  }),
  'post.deleted': event('A post or page is deleted, drafts included.', PostData, post),
  'post.unpublished': event('A post or page leaves public view.', PostData, post),
  'page.published': event('A page goes live, by hand or at its date.', PostData, {
    ...post,
    url: `${SITE}/about`,
    content_type: 'page',
  }),
  'comment.created': event('A comment is submitted, pending or approved.', CommentData, comment),
  'comment.approved': event('An admin approves a comment.', CommentData, { ...comment, status: 'approved' }),
  'newsletter.subscribed': event('A subscriber confirms the subscription.', NewsletterData, subscriber),
  'newsletter.unsubscribed': event('A subscriber opts out.', NewsletterData, subscriber),
  'user.registered': event('A user registers. Accounts that the owner creates fire nothing.', UserData, user),
  'user.logged-in': event('A user logs in.', UserData, user),
  'user.banned': event(
    'A user is banned who was not banned before.',
    members({
      ...USER,
      reason: [z.nullable(z.string()), 'Reason of the ban; null without one.'],
      banned_until: [z.nullable(Time), 'When the ban ends, in UTC; null if it does not end by itself.'],
    }),
    { ...user, reason: 'Spam', banned_until: null },
  ),
  'ticket.created': event('A support ticket is opened.', TicketData, ticket),
  'ticket.replied': event(
    'A reply is added to a ticket.',
    members({
      ...TICKET,
      reply_id: [Id, 'Numeric id of the reply.'],
      is_staff: [z.boolean(), 'True for a reply of an admin, false for one of the user.'],
    }),
    { ...ticket, reply_id: 1, is_staff: true },
  ),
  'ticket.status-changed': event(
    "A ticket's status changes.",
    members({
      ...TICKET,
      old_status: [Status, 'Status before the event.'],
      new_status: [Status, 'Status after the event.'],
    }),
    { ...ticket, status: 'resolved', old_status: 'open', new_status: 'resolved' },
  ),
  'contact.submitted': event(
    'A contact form is submitted.',
    members({
      id: [Id, 'Id of the message.'],
      url: SITE_URL,
      name: [z.string(), 'Name of the sender.'],
      email: [z.string(), 'E-mail address of the sender. It is not verified.'],
      subject: [z.nullable(z.string()), 'Subject; null if there is none.'],
    }),
    { id: 3, url: SITE, name: 'Ada', email: 'ada@example.com', subject: 'Hello' },
  ),
  'test.ping': event(
    'The owner of a subscription tests it.',
    members({
      id: [Id, 'Id of the subscription.'],
      url: SITE_URL,
      message: [z.string(), 'A sentence for people.'],
    }),
    { id: 4, url: SITE, message: 'This is a test.' },
  ),
} as const

/** What a subscription gets that collects events. No subscription names it, and no change fires it. */
export const BATCH_EVENT = 'batch'
export const BATCH = event(
  'Events were collected for a subscription with `quiet_seconds`.',
  members({
    id: [Id, 'Id of the subscription.'],
    url: SITE_URL,
    count: [Id, 'How many events were collected.'],
    first_at: [Time, 'When the first of them happened, in UTC.'],
    events: [z.record(z.string(), Id), 'How many of them have each name.'],
    items: [
      z.array(
        members({
          event: [z.string(), 'Name of the event.'],
          id: [Id, 'Id of the record that it is about.'],
          slug: [z.optional(z.string()), 'Slug of the record, if it has one.'],
        }),
      ),
      'The first 100 of them.',
    ],
    cursor: [
      z.string(),
      'For `GET /api/v1/changes?since=`: from just before the first event, so the answer tells what to build.',
    ],
  }),
  {
    id: 1,
    url: SITE,
    count: 2,
    first_at: '2026-05-26T15:00:00+00:00',
    events: { 'post.published': 1, 'post.updated': 1 },
    items: [
      { event: 'post.published', id: 7, slug: 'hello-world' },
      { event: 'post.updated', id: 7, slug: 'hello-world' },
    ],
    cursor: 'oGmPqY7xkXbJ0q1Kc2fEw5vN',
  },
)

type EventName = keyof typeof EVENTS
export type EventData<Name extends EventName> = z.output<(typeof EVENTS)[Name]['data']>
/** An event to fire; `atSeconds` is when it happened if that was not now, e.g. a post's publication date. */
export type DomainEvent = {
  [Name in EventName]: { event: Name; data: EventData<Name>; atSeconds?: number }
}[EventName]

/** Delivered by the endpoint that tests a subscription, never through the events queue. */
export const TEST_EVENT: EventName = 'test.ping'

function isEventName(name: string): name is EventName {
  return name in EVENTS
}

export const EVENT_NAMES: EventName[] = Object.keys(EVENTS).filter(isEventName)
/** What a delivery may be of. */
export const DELIVERED_NAMES = [...EVENT_NAMES, BATCH_EVENT] as const
