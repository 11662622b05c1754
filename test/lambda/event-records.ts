// Creates records through all functions, and returns the requests that refer to them.
import * as z from 'zod/mini'
import { subscriberToken } from '../../shared/newsletter/mails.ts'
import { endpointOf } from '../support/endpoints.ts'
import type { FullChain } from '../support/full-chain.ts'
import type { EventOptions } from '../support/proxy-event.ts'

export const PRIVATE_KEY = 'the key of links in mails'
const HOUR_MS = 3_600_000
const PASSWORD = 'correct horse'

const CreatedRecord = z.object({ data: z.object({ id: z.int(), slug: z.optional(z.string()) }) })

type Members = Record<string, unknown>

export function openEventRecords(chain: FullChain) {
  let count = 0

  async function send(name: string, ask: EventOptions) {
    const answer = await chain.send(endpointOf(name), ask)
    if (answer.status >= 300) throw new Error(`${name} gave ${answer.status}: ${answer.text}`)
    return answer.text
  }

  async function create(path: string, body: Record<string, unknown>) {
    return CreatedRecord.parse(JSON.parse(await send(`POST ${path}`, { body }))).data
  }

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
    if (mail?.queue !== 'jobs' || !('kind' in mail.body) || mail.body.kind !== 'confirm-newsletter') {
      throw new Error('There is no mail.')
    }
    return { body: { token: subscriberToken(PRIVATE_KEY, mail.body.subscriber_id) } }
  }

  function account() {
    return { name: 'Ada', email: `ada-${++count}@example.com`, password: PASSWORD }
  }

  return { send, create, postBody, post, livePost, duePost, commentBody, ticket, subscriberLink, account }
}

export type EventRecords = ReturnType<typeof openEventRecords>
