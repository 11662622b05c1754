// For each endpoint, and each event that it declares: a request with which it fires the event.
import type { EventName } from '../../shared/events/catalogue.ts'
import type { FullChain } from '../support/full-chain.ts'
import type { EventOptions } from '../support/proxy-event.ts'
import type { Subscriber } from '../support/subscriber.ts'
import type { EventRecords } from './event-records.ts'

type CaseContext = EventRecords & Pick<FullChain, 'user'> & Pick<Subscriber, 'url'>
/** Prepares the records, and returns the request. */
export type EventCase = (context: CaseContext) => Promise<EventOptions>

const PAGE = { content_type: 'page' }
export const EVENT_CASES: Record<string, Partial<Record<EventName, EventCase>>> = {
  'POST /api/v1/admin/posts': {
    'post.published': async ({ postBody }) => ({ body: postBody({ is_published: true }) }),
    'page.published': async ({ postBody }) => ({ body: postBody({ is_published: true, ...PAGE }) }),
  },
  'PATCH /api/v1/admin/posts/{id}': {
    'post.published': async ({ post }) => ({ ...(await post()), body: { is_published: true } }),
    'page.published': async ({ post }) => ({ ...(await post(PAGE)), body: { is_published: true } }),
    'post.updated': async ({ livePost }) => ({ ...(await livePost()), body: { title: 'Another' } }),
    'post.unpublished': async ({ livePost }) => ({ ...(await livePost()), body: { is_published: false } }),
  },
  'DELETE /api/v1/admin/posts/{id}': {
    'post.published': ({ duePost }) => duePost(),
    'page.published': ({ duePost }) => duePost(PAGE),
    'post.deleted': ({ post }) => post(),
  },
  'POST /api/v1/admin/posts/{id}/publish': {
    'post.published': ({ post }) => post(),
    'page.published': ({ post }) => post(PAGE),
  },
  'POST /api/v1/admin/posts/{id}/unpublish': {
    'post.published': ({ duePost }) => duePost(),
    'page.published': ({ duePost }) => duePost(PAGE),
    'post.unpublished': ({ livePost }) => livePost(),
  },
  'POST /api/v1/posts/{slug}/comments': {
    'comment.created': async ({ commentBody }) => {
      const { post_slug: slug = '', body } = await commentBody()
      return { params: { slug }, body: { body, author_name: 'Ada', author_email: 'ada@example.com' } }
    },
  },
  'POST /api/v1/me/comments': {
    'comment.created': async ({ commentBody }) => ({ body: await commentBody() }),
  },
  'POST /api/v1/admin/comments/{id}/approve': {
    'comment.approved': async ({ create, commentBody }) => {
      const { id } = await create('/api/v1/me/comments', await commentBody())
      return { params: { id } }
    },
  },
  'POST /api/v1/auth/register': {
    'user.registered': async ({ account }) => ({ body: account() }),
  },
  'POST /api/v1/auth/login': {
    'user.logged-in': async ({ send, account }) => {
      const { name, email, password } = account()
      await send('POST /api/v1/auth/register', { body: { name, email, password } })
      return { body: { email, password } }
    },
  },
  'POST /api/v1/admin/users/{id}/ban': {
    'user.banned': async ({ user }) => ({
      params: { id: (await user(['user'])).id },
      body: { reason: 'Spam' },
    }),
  },
  'POST /api/v1/me/tickets': {
    'ticket.created': async () => ({ body: { subject: 'Subject', description: 'Description' } }),
  },
  'POST /api/v1/me/tickets/{id}/replies': {
    'ticket.replied': async ({ ticket }) => ({ ...(await ticket()), body: { body: 'Reply' } }),
  },
  'POST /api/v1/me/tickets/{id}/reopen': {
    'ticket.status-changed': async ({ send, ticket }) => {
      const ask = await ticket()
      await send('PATCH /api/v1/admin/tickets/{id}', { ...ask, body: { status: 'resolved' } })
      return ask
    },
  },
  'POST /api/v1/admin/tickets/{id}/replies': {
    'ticket.replied': async ({ ticket }) => ({ ...(await ticket()), body: { body: 'Reply' } }),
    'ticket.status-changed': async ({ ticket }) => ({ ...(await ticket()), body: { body: 'Reply' } }),
  },
  'PATCH /api/v1/admin/tickets/{id}': {
    'ticket.status-changed': async ({ ticket }) => ({ ...(await ticket()), body: { status: 'closed' } }),
  },
  'POST /api/v1/newsletter/confirm': {
    'newsletter.subscribed': ({ subscriberLink }) => subscriberLink(),
  },
  'POST /api/v1/newsletter/unsubscribe': {
    'newsletter.unsubscribed': async ({ send, subscriberLink }) => {
      const ask = await subscriberLink()
      await send('POST /api/v1/newsletter/confirm', ask)
      return ask
    },
  },
  'POST /api/v1/me/newsletter': {
    'newsletter.subscribed': async ({ user }) => ({ token: (await user(['newsletter:manage'])).token }),
  },
  'DELETE /api/v1/me/newsletter': {
    'newsletter.unsubscribed': async ({ send, user }) => {
      const { token } = await user(['newsletter:manage'])
      await send('POST /api/v1/me/newsletter', { token })
      return { token }
    },
  },
  'POST /api/v1/contact': {
    'contact.submitted': async () => ({
      body: { name: 'Ada', email: 'ada@example.com', message: 'Message' },
    }),
  },
  'POST /api/v1/admin/webhooks/{id}/test': {
    'test.ping': async ({ create, url }) => {
      const body = { name: 'Webhook', url, events: ['test.ping'] }
      const { id } = await create('/api/v1/admin/webhooks', body)
      return { params: { id } }
    },
  },
}
