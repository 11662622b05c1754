// Makes every endpoint fire every event that it declares: a declared event without a case here fails.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { EventName } from '../../shared/events/catalogue.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { noData } from '../../shared/http/reply.ts'
import { subscriberToken } from '../../shared/newsletter/links.ts'
import { openChain } from '../world/chain.ts'
import { ENDPOINTS, endpointOf } from '../world/endpoints.ts'
import { openFullChain } from '../world/full-chain.ts'
import type { EventOptions } from '../world/proxy-event.ts'
import { openSubscriber, type Subscriber } from '../world/subscriber.ts'
import { use } from '../world/use.ts'

const LINK_KEY = 'the key of links in mails'
const HOUR_MS = 3_600_000
const PASSWORD = 'correct horse'

const chain = use(() => openFullChain({ ALLOW_LOOPBACK_WEBHOOKS: 'true', LINK_KEY }))

const CreatedRecord = z.object({ data: z.object({ id: z.int(), slug: z.optional(z.string()) }) })
let count = 0

async function send(name: string, ask: EventOptions) {
  const answer = await chain.send(endpointOf(name), ask)
  if (answer.status >= 300) throw new Error(`${name} gave ${answer.status}: ${answer.text}`)
  return answer.text
}

async function create(path: string, body: Record<string, unknown>) {
  return CreatedRecord.parse(JSON.parse(await send(`POST ${path}`, { body }))).data
}

type Members = Record<string, unknown>

/** The body of a post with a new slug. */
function postBody(members: Members = {}) {
  return { title: 'Title', slug: `post-${++count}`, ...members }
}

async function post(members: Members = {}): Promise<EventOptions> {
  const { id } = await create('/api/v1/admin/posts', postBody(members))
  return { params: { id } }
}

function livePost(members: Members = {}) {
  return post({ is_published: true, ...members })
}

/** A scheduled post that is due and that no worker has announced. */
async function duePost(members: Members = {}): Promise<EventOptions> {
  const posted_at = new Date(chain.clock.nowMs + HOUR_MS).toISOString()
  const ask = await livePost({ posted_at, ...members })
  chain.clock.nowMs += 2 * HOUR_MS
  return ask
}

async function commentBody() {
  const { slug } = await create('/api/v1/admin/posts', postBody({ is_published: true }))
  return { post_slug: slug, body: 'Comment' }
}

async function ticket(): Promise<EventOptions> {
  const { id } = await create('/api/v1/me/tickets', { subject: 'Subject', description: 'Description' })
  return { params: { id } }
}

/** The token in the mail that a new subscriber is sent. */
async function subscriberLink(): Promise<EventOptions> {
  chain.sent.length = 0
  await send('POST /api/v1/newsletter/subscribe', { body: { email: `reader-${++count}@example.com` } })
  const [mail] = chain.sent
  if (mail?.queue !== 'mail' || mail.body.kind !== 'confirm-newsletter') throw new Error('There is no mail.')
  return { body: { token: subscriberToken(LINK_KEY, mail.body.subscriber_id) } }
}

function account() {
  return { name: 'Ada', email: `ada-${++count}@example.com`, password: PASSWORD }
}

/** Prepares the records, and returns the request with which the endpoint fires the event. */
type Case = (subscriber: Subscriber) => Promise<EventOptions>
const page = { content_type: 'page' }
const CASES: Record<string, Partial<Record<EventName, Case>>> = {
  'POST /api/v1/admin/posts': {
    'post.published': async () => ({ body: postBody({ is_published: true }) }),
    'page.published': async () => ({ body: postBody({ is_published: true, ...page }) }),
  },
  'PATCH /api/v1/admin/posts/{id}': {
    'post.published': async () => ({ ...(await post()), body: { is_published: true } }),
    'page.published': async () => ({ ...(await post(page)), body: { is_published: true } }),
    'post.updated': async () => ({ ...(await livePost()), body: { title: 'Another' } }),
    'post.unpublished': async () => ({ ...(await livePost()), body: { is_published: false } }),
  },
  'DELETE /api/v1/admin/posts/{id}': {
    'post.published': () => duePost(),
    'page.published': () => duePost(page),
    'post.deleted': () => post(),
  },
  'POST /api/v1/admin/posts/{id}/publish': {
    'post.published': () => post(),
    'page.published': () => post(page),
  },
  'POST /api/v1/admin/posts/{id}/unpublish': {
    'post.published': () => duePost(),
    'page.published': () => duePost(page),
    'post.unpublished': () => livePost(),
  },
  'POST /api/v1/posts/{slug}/comments': {
    'comment.created': async () => {
      const { post_slug: slug = '', body } = await commentBody()
      return { params: { slug }, body: { body, author_name: 'Ada', author_email: 'ada@example.com' } }
    },
  },
  'POST /api/v1/me/comments': {
    'comment.created': async () => ({ body: await commentBody() }),
  },
  'POST /api/v1/admin/comments/{id}/approve': {
    'comment.approved': async () => {
      const { id } = await create('/api/v1/me/comments', await commentBody())
      return { params: { id } }
    },
  },
  'POST /api/v1/auth/register': {
    'user.registered': async () => ({ body: account() }),
  },
  'POST /api/v1/auth/login': {
    'user.logged-in': async () => {
      const { name, email, password } = account()
      await send('POST /api/v1/auth/register', { body: { name, email, password } })
      return { body: { email, password } }
    },
  },
  'POST /api/v1/admin/users/{id}/ban': {
    'user.banned': async () => ({
      params: { id: (await chain.user(['user'])).id },
      body: { reason: 'Spam' },
    }),
  },
  'POST /api/v1/me/tickets': {
    'ticket.created': async () => ({ body: { subject: 'Subject', description: 'Description' } }),
  },
  'POST /api/v1/me/tickets/{id}/replies': {
    'ticket.replied': async () => ({ ...(await ticket()), body: { body: 'Reply' } }),
  },
  'POST /api/v1/me/tickets/{id}/reopen': {
    'ticket.status-changed': async () => {
      const ask = await ticket()
      await send('PATCH /api/v1/admin/tickets/{id}', { ...ask, body: { status: 'resolved' } })
      return ask
    },
  },
  'POST /api/v1/admin/tickets/{id}/replies': {
    'ticket.replied': async () => ({ ...(await ticket()), body: { body: 'Reply' } }),
    'ticket.status-changed': async () => ({ ...(await ticket()), body: { body: 'Reply' } }),
  },
  'PATCH /api/v1/admin/tickets/{id}': {
    'ticket.status-changed': async () => ({ ...(await ticket()), body: { status: 'closed' } }),
  },
  'POST /api/v1/newsletter/confirm': {
    'newsletter.subscribed': () => subscriberLink(),
  },
  'POST /api/v1/newsletter/unsubscribe': {
    'newsletter.unsubscribed': async () => {
      const ask = await subscriberLink()
      await send('POST /api/v1/newsletter/confirm', ask)
      return ask
    },
  },
  'POST /api/v1/me/newsletter': {
    'newsletter.subscribed': async () => ({ token: (await chain.user(['newsletter:manage'])).token }),
  },
  'DELETE /api/v1/me/newsletter': {
    'newsletter.unsubscribed': async () => {
      const { token } = await chain.user(['newsletter:manage'])
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
    'test.ping': async ({ url }) => {
      const body = { name: 'Webhook', url, events: ['test.ping'] }
      const { id } = await create('/api/v1/admin/webhooks', body)
      return { params: { id } }
    },
  },
}

const DECLARED = ENDPOINTS.flatMap(({ name, endpoint: { emits } }) => emits.map(event => ({ name, event })))

/** The events that were sent to the queue by the last request. */
function firedEvents(): string[] {
  return chain.sent.flatMap(({ queue, body }) =>
    queue === 'events' && body.kind === 'event' ? [body.event] : [],
  )
}

describe('a declared event', () => {
  it.each(DECLARED)('$event is fired by $name', async ({ name, event }) => {
    const cases: Partial<Record<string, Case>> = CASES[name] ?? {}
    const arrange = cases[event]
    if (!arrange) throw new Error(`Give ${name} a case in which it fires ${event}, or do not declare it.`)
    const subscriber = await openSubscriber()
    const ask = await arrange(subscriber)
    chain.sent.length = 0
    await send(name, ask)
    expect([...firedEvents(), ...subscriber.events()]).toContain(event)
  })
})

describe('an event that its endpoint does not declare', () => {
  const quiet = {
    ask: endpoint({ method: 'POST', path: '/quiet', summary: '', message: '', data: z.object({}) }),
  }
  const submission = {
    id: 1,
    url: 'https://site.example',
    name: 'Ada',
    email: 'a@example.com',
    subject: null,
  }

  async function fireUndeclared(environment: Record<string, string>) {
    const own = await openChain(environment)
    const call = own.open(quiet, {
      ask: async ({ work }) => {
        await work.commit({ actions: [], events: [{ event: 'contact.submitted', data: submission }] })
        return noData()
      },
    })
    const { status } = await call(quiet.ask)
    await own.stop()
    return { status, sent: own.sent.length, errors: own.logged.filter(({ level }) => level === 'error') }
  }

  it('fails the request in the tests and in the local run, before anything is written', async () => {
    const { status, sent, errors } = await fireUndeclared({})
    expect([status, sent]).toEqual([500, 0])
    expect(errors[0]?.error).toContain('fires contact.submitted: add it to `emits`')
  })

  it('is fired and logged as an error in production', async () => {
    const { status, sent, errors } = await fireUndeclared({ REFUSE_UNDECLARED_EVENTS: 'false' })
    expect([status, sent]).toEqual([200, 1])
    expect(errors).toMatchObject([{ message: 'undeclared events' }])
  })
})
