// How tests create a record of each collection: by the example of the endpoint that creates it, or otherwise.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'

export const Members = z.record(z.string(), z.unknown())
export type Members = z.infer<typeof Members>

export type Creators = {
  /** Creates a record with the example body of its collection, changed by these members. */
  byExample: (collection: string, members?: Members) => Promise<Members>
  /** Calls an endpoint for a record, with the example body. */
  act: (name: string, record: Members) => Promise<Members>
  /** The same for an endpoint that fails, or that answers with a list. */
  attempt: (name: string, record: Members) => Promise<Members[]>
}

/** Members of bodies that are ids of other records, and the collections of those. */
export const REFERENCES: Record<string, string> = { post_id: 'posts', category_ids: 'categories' }

const IMAGE = {
  thumbnail: 'https://images.example.com/200.jpg',
  original: 'https://images.example.com/1.jpg',
}
const LIVE = { is_published: true, featured_image: IMAGE }

/** Collections whose records need more than the example of `POST …/COLLECTION` or `PUT …/COLLECTION/{…}`. */
export const OTHERS: Record<string, (creators: Creators) => Promise<Members>> = {
  posts: ({ byExample }) => byExample('posts', { ...LIVE, title: 'Hello, world', category_ids: [1] }),
  pages: ({ byExample }) => byExample('posts', { is_published: true, title: 'About', content_type: 'page' }),
  comments: async ({ byExample, act }) =>
    act('POST /api/v1/admin/comments/{id}/approve', await byExample('comments')),
  tickets: async ({ byExample, act }) => {
    const ticket = await byExample('tickets')
    await act('POST /api/v1/admin/tickets/{id}/replies', ticket)
    return ticket
  },
  /** No test waits for its deliveries. It has a failed one, of a test. */
  webhooks: async ({ byExample, attempt }) => {
    const webhook = await byExample('webhooks', { url: 'https://hooks.example/', events: ['test.ping'] })
    await attempt('POST /api/v1/admin/webhooks/{id}/test', webhook)
    const [delivery] = await attempt('GET /api/v1/admin/webhooks/{id}/deliveries', webhook)
    return { ...webhook, delivery_id: delivery?.id }
  },
  users: async ({ byExample }) => {
    const { user } = await byExample('register', { email: `${randomUUID()}@example.com` })
    return Members.parse(user)
  },
}

/** Parameters of records inside of others, and the collection whose records have them as members. */
export const INSIDE: Record<string, string> = { delivery_id: 'webhooks' }

/** The endpoint that creates a record of the collection, if one does. */
export function creatorOf(collection: string): Endpoint | undefined {
  const posting = ENDPOINTS.find(
    ({ endpoint: { method, path } }) =>
      method === 'POST' && path.endsWith(`/${collection}`) && !path.includes('{'),
  )
  const putting = ENDPOINTS.find(({ name }) => /^PUT .*\/([^/]+)\/\{\w+\}$/.exec(name)?.[1] === collection)
  return (posting ?? putting)?.endpoint
}
