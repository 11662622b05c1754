// The events of the service: the name, the trigger, the data and a sample of each.
import * as z from 'zod/mini'
import { Time } from '../http/time.ts'

const Id = z.int().check(z.positive())
const PostData = z.object({
  id: Id,
  slug: z.string(),
  url: z.url(),
  posted_at: z.nullable(Time),
  title: z.string(),
  content_type: z.enum(['post', 'page']),
  version: z.int().check(z.positive()),
  previous_slug: z.optional(z.string()),
})
const CommentData = z.object({
  id: Id,
  post_id: Id,
  slug: z.string(),
  url: z.url(),
  parent_id: z.nullable(Id),
  status: z.enum(['pending', 'approved', 'rejected']),
  author_name: z.string(),
})
const NewsletterData = z.object({ id: Id, url: z.url(), email: z.string() })
const UserData = z.object({ id: Id, url: z.url(), name: z.string(), email: z.string() })
const TicketData = z.object({
  id: Id,
  url: z.url(),
  subject: z.string(),
  priority: z.enum(['low', 'medium', 'high', 'urgent']),
  status: z.enum(['open', 'in_progress', 'resolved', 'closed']),
  user_id: Id,
})
const TicketStatus = TicketData.shape.status

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
  return {
    when,
    data,
    sample,
  }
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
    z.extend(UserData, { reason: z.nullable(z.string()), banned_until: z.nullable(Time) }),
    { ...user, reason: 'Spam', banned_until: null },
  ),
  'ticket.created': event('A support ticket is opened.', TicketData, ticket),
  'ticket.replied': event(
    'A reply is added to a ticket.',
    z.extend(TicketData, { reply_id: Id, is_staff: z.boolean() }),
    { ...ticket, reply_id: 1, is_staff: true },
  ),
  'ticket.status-changed': event(
    "A ticket's status changes.",
    z.extend(TicketData, { old_status: TicketStatus, new_status: TicketStatus }),
    { ...ticket, status: 'resolved', old_status: 'open', new_status: 'resolved' },
  ),
  'contact.submitted': event(
    'A contact form is submitted.',
    z.object({ id: Id, url: z.url(), name: z.string(), email: z.string(), subject: z.nullable(z.string()) }),
    { id: 3, url: SITE, name: 'Ada', email: 'ada@example.com', subject: 'Hello' },
  ),
  'test.ping': event(
    'The owner of a subscription tests it.',
    z.object({ id: Id, url: z.url(), message: z.string() }),
    { id: 4, url: SITE, message: 'This is a test.' },
  ),
} as const

export type EventName = keyof typeof EVENTS
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

const POST_TEXTS = {
  noun: 'post or page',
  members: {
    posted_at: 'When it was or will be published, in UTC; null if it has no date.',
    content_type: '`post` or `page`.',
    previous_slug: 'The slug before the change. Only with `post.updated`, if the slug changed.',
  },
}
const SITE_TEXT = 'Address of the site.'

/** Texts for the document, of members without a common one (COMMON in guide.ts). Other bundles drop them. */
export const EVENT_TEXTS = {
  post: POST_TEXTS,
  page: POST_TEXTS,
  comment: {
    members: {
      post_id: 'Id of its post.',
      slug: 'Slug of its post.',
      parent_id: 'Id of the comment that it answers; null for a comment on the post itself.',
      author_name: 'Name of its author.',
    },
  },
  newsletter: { noun: 'subscriber', members: { url: SITE_TEXT } },
  user: {
    members: {
      url: SITE_TEXT,
      reason: 'Reason of the ban; null without one.',
      banned_until: 'When the ban ends, in UTC; null if it does not end by itself.',
    },
  },
  ticket: {
    members: {
      user_id: 'Id of the user who opened it.',
      reply_id: 'Number of the reply within its ticket, from 1.',
      is_staff: 'True for a reply of an admin, false for one of the user.',
      old_status: 'Status before the event.',
      new_status: 'Status after the event.',
    },
  },
  contact: {
    noun: 'message',
    members: {
      url: SITE_TEXT,
      name: 'Name of the sender.',
      email: 'E-mail address of the sender. It is not verified.',
      subject: 'Subject; null if there is none.',
    },
  },
  test: { noun: 'subscription', members: { url: SITE_TEXT, message: 'A sentence for people.' } },
}
